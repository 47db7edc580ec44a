//! Stands for `nvcc` and `ptxas`: takes their arguments, says what they say, and compiles nothing.
//!
//! A source with `#error WORDS` is refused, one with `#warning WORDS` is warned of. What is made holds the command.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let program = env::current_exe().unwrap();
    let name = program.file_stem().unwrap().to_str().unwrap().to_owned();
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments == ["--version"] {
        let release = fs::read_to_string(program.with_file_name("release")).unwrap_or_else(|_| "13.5".to_owned());
        println!("Copyright (c) somebody, 2026\nCuda compilation tools, release {release}, V{release}.37");
        return ExitCode::SUCCESS;
    }
    let after = |option: &str| arguments.iter().position(|word| word == option).map(|at| arguments[at + 1].clone());
    let arch = arguments.iter().find_map(|word| word.strip_prefix("-arch=")).unwrap();
    let source = arguments.last().unwrap();
    let text = fs::read_to_string(source).unwrap();
    if arch == "sm_35" && name == "nvcc" {
        eprintln!("nvcc fatal   : Unsupported gpu architecture 'sm_35'");
        return ExitCode::from(1);
    }
    if arch == "sm_35" {
        eprintln!("ptxas fatal   : Value 'sm_35' is not defined for option 'gpu-name'");
        return ExitCode::from(255);
    }
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        if let Some(words) = line.strip_prefix("#error ") {
            eprintln!(
                "{source}({number}): error: {words}\n  {line}\n  ^\n\n1 error detected in the compilation of \"{source}\"."
            );
            return ExitCode::from(2);
        }
        if let Some(words) = line.strip_prefix("#warning ") {
            eprintln!("{source}({number}): warning #1-D: {words}\n  {line}\n  ^\n");
        }
    }
    fs::write(after("-o").unwrap(), format!("{name} {}\n", arguments.join(" "))).unwrap();
    if let Some(file) = after("-MF") {
        fs::write(file, dependencies(&program, &arguments, source, &text)).unwrap();
    }
    if arch.starts_with("sm_") {
        eprintln!("ptxas info    : Compiling entry function 'k' for '{arch}'\nptxas info    : Used 8 registers");
        eprintln!("ptxas info    : Compile time = {}.000 ms", std::process::id());
    }
    ExitCode::SUCCESS
}

/// As `nvcc -MD` writes them: a header of the toolkit, and what is included, if it is beside the source or in an `-I`.
fn dependencies(program: &Path, arguments: &[String], source: &str, text: &str) -> String {
    let toolkit = program.parent().unwrap().join("../include/cuda_runtime.h");
    let mut list = vec![source.into(), toolkit];
    let includes = arguments.iter().filter_map(|word| word.strip_prefix("-I")).map(PathBuf::from);
    let places: Vec<PathBuf> = includes.chain([Path::new(source).parent().unwrap().to_owned()]).collect();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            list.extend(places.iter().map(|place| place.join(name)).find(|path| path.is_file()));
        }
    }
    let list: Vec<String> = list.iter().map(|path| path.to_str().unwrap().replace(' ', "\\ ")).collect();
    format!("some where/x.cubin : {}\n", list.join(" \\\n    "))
}

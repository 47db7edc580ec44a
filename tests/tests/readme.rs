//! What the README shows is what happens: the compiler refuses `examples/refused` in the very words of its
//! `expected.stderr`, the README quotes them, and its code is code that is compiled.
//!
//! `TRYBUILD=overwrite cargo test -p occ-tests --test readme` writes `expected.stderr` anew.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement, launch_config};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

// Code of the README that is in no example.

const SAXPY: LaunchSpec =
    LaunchSpec::new("saxpy", &[Arch::SM_80, Arch::SM_89], Kernel::new().registers(32), Launch::new(256))
        .require(Requirement::new().min_occupancy(0.5));

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = N, registers = 40, instances(N = [64, 128, 256]))]
fn scale<const N: u32>() {}

#[test]
fn the_readmes_own_code() {
    assert_eq!(SAXPY.register_budget(), Some(64));
    scale::<128>();
}

/// The two commands of the README.
const COMMANDS: [&str; 2] = ["cargo run -p quickstart", "cargo test --workspace"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// What `cargo check` says of `examples/refused`.
///
/// A copy is checked, with the workspace's Cargo.lock: so nothing has to be fetched, and no file is left in the sources.
fn refusals() -> String {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    let root = root().display().to_string().replace('\\', "/");
    fs::create_dir_all(copy.join("src")).unwrap();
    fs::write(copy.join("src/main.rs"), read("examples/refused/src/main.rs")).unwrap();
    let manifest = read("examples/refused/Cargo.toml").replace("\"../..", &format!("\"{root}"));
    fs::write(copy.join("Cargo.toml"), manifest).unwrap();
    fs::write(copy.join("Cargo.lock"), read("Cargo.lock")).unwrap();

    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--offline", "--color", "never", "--target-dir"]).arg(copy.join("target"));
    cargo.current_dir(&copy);
    // Nothing of this run may show in the messages.
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        if name.starts_with("OCC_") || name.ends_with("RUSTFLAGS") {
            cargo.env_remove(&variable);
        }
    }
    let output = cargo.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "it was built:\n{stderr}");
    stderr.replace("\r\n", "\n").replace(&format!("{root}/"), "")
}

/// Whether this is the compiler `expected.stderr` was written by: another one underlines in its own way.
fn is_pinned() -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().unwrap().stdout;
    version.starts_with(b"rustc 1.95.")
}

#[test]
fn the_compiler_refuses_every_launch() {
    let said = refusals();
    // One error for each launch and for each way to write it, and no other.
    let source = read("examples/refused/src/main.rs");
    let launches = source.matches("#[launch_config(").count() + source.matches("LaunchSpec::new(").count();
    let errors = said.lines().filter(|line| line.starts_with("error") && !line.starts_with("error: could not")).count();
    assert_eq!(errors, launches, "{said}");
    assert!(!said.contains("\nwarning"), "{said}");

    if !is_pinned() {
        return;
    }
    let path = "examples/refused/expected.stderr";
    if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
        fs::write(root().join(path), &said).unwrap();
    }
    let expected = read(path);
    assert!(said == expected, "{path} is not what the compiler says, which is:\n\n{said}");
}

/// The blocks of the README in a language, without their fences.
fn blocks(readme: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let starts = readme.split(&fence).skip(1);
    starts.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_readme_shows_real_output() {
    let readme = read("README.md");
    let expected = read("examples/refused/expected.stderr");
    let errors: Vec<String> = blocks(&readme, "text").into_iter().filter(|block| block.starts_with("error")).collect();
    assert!(!errors.is_empty(), "the README shows no error");
    for error in errors {
        // The whole error, from the line it starts with to the empty line behind it.
        let whole = format!("\n\n{expected}").contains(&format!("\n\n{error}\n"));
        assert!(whole, "the README shows what the compiler does not say:\n{error}\nIt says:\n{expected}");
    }
}

#[test]
fn the_readme_shows_code_that_is_compiled() {
    let readme = read("README.md");
    let code = [
        "examples/cudarc-saxpy/src/main.rs",
        "examples/cust-saxpy/src/main.rs",
        "examples/quickstart/src/main.rs",
        "examples/refused/src/main.rs",
        "examples/saxpy/build.rs",
        "examples/saxpy/src/main.rs",
        "tests/tests/readme.rs",
        "tests/ui/pass/readme.rs",
    ]
    .map(read);
    let shown = blocks(&readme, "rust");
    assert!(!shown.is_empty(), "the README shows no code");
    for block in shown {
        assert!(code.iter().any(|file| file.contains(&block)), "the README shows code that is nowhere:\n{block}");
    }
}

/// What the guard logs is what its tests expect of it, line by line.
#[test]
fn the_readme_shows_real_log_lines() {
    let tests = ["launches", "modes"].map(|name| read(&format!("tests/stand-in/tests/guard/{name}.rs"))).concat();
    let blocks = blocks(&read("README.md"), "log");
    let lines: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).collect();
    assert!(lines.len() > 8, "the README shows no log");
    for line in lines {
        let text = if line.starts_with('[') { line.split_once("] ").unwrap().1 } else { line };
        assert!(tests.contains(text), "the README shows what no test expects of the guard:\n{line}");
    }
}

#[test]
fn the_readme_names_its_commands() {
    let readme = read("README.md");
    for command in COMMANDS {
        assert!(readme.lines().any(|line| line == command), "`{command}` is not a line of the README");
    }
}

/// Every key and warning of the attribute, and every variable that is read, stands in the README.
#[test]
fn the_readme_names_every_argument() {
    let readme = read("README.md");
    let arguments = read("occ-macros/src/arguments.rs");
    let keys = arguments.lines().filter_map(|line| line.trim().strip_prefix("(\"")?.split_once("\", Key::"));
    let keys: Vec<&str> = keys.map(|(key, _)| key).collect();
    let listed = |file: &str, constant: &str| -> Vec<String> {
        let text = read(file);
        let list = text.split_once(constant).unwrap_or_else(|| panic!("no {constant} in {file}")).1;
        let list = list.split_once('=').unwrap().1.split_once("];").unwrap().0;
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let warnings = listed("occ-macros/src/config/options.rs", "const WARNINGS");
    let defaults = read("occ-macros/src/defaults.rs");
    let at_run_time = read("occ-runtime/src/guard/mode.rs");
    let strings = defaults.split('"').chain(at_run_time.split('"'));
    let variables: Vec<&str> = strings.filter(|text| text.starts_with("OCC_")).collect();
    assert!(keys.len() > 20 && !warnings.is_empty() && !variables.is_empty());
    let names = keys.iter().chain(&variables).copied().chain(warnings.iter().map(String::as_str));
    for name in names {
        assert!(readme.contains(&format!("`{name}`")), "the README does not name `{name}`");
    }
}

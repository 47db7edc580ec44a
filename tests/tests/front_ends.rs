//! The compiler says of constants what the macro says of numbers: the same words at the same place.
//!
//! Every case of `ui/literal`, and some of `ui/cubin`, is checked a second time, with its numbers behind constants whose
//! names are as long, and compared with the same `.stderr`.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod compiler;
mod package;

use package::Package;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// An error: the place of what is underlined, and all that is said.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Error {
    line: u32,
    column: u32,
    width: usize,
    words: String,
}

/// Returns the errors that the compiler wrote, by the stem of the file that they are in.
fn errors(written: &str) -> BTreeMap<String, Vec<Error>> {
    let mut errors: BTreeMap<String, Vec<Error>> = BTreeMap::new();
    for error in written.split("\n\n").filter(|text| text.contains("--> ")) {
        let (words, place) = error.trim().split_once("--> ").unwrap();
        let words = words.strip_prefix("error[E0080]: evaluation panicked: ").unwrap_or(words);
        let words = words.strip_prefix("error: ").unwrap_or(words);
        let words: Vec<&str> = words.lines().map(str::trim).collect();
        let (path, source) = place.split_once('\n').unwrap();
        let mut path = path.rsplit(':');
        let column = path.next().unwrap().parse().unwrap();
        let line = path.next().unwrap().parse().unwrap();
        let file = Path::new(path.next().unwrap()).file_stem().unwrap().to_str().unwrap().to_owned();
        let width = source.chars().filter(|&letter| letter == '^').count();
        errors.entry(file).or_default().push(Error { line, column, width, words: words.join("\n") });
    }
    for errors in errors.values_mut() {
        errors.sort();
    }
    errors
}

/// Keys with the type of their values.
const KEYS: [(&str, &str); 17] = [
    ("barriers", "u32"),
    ("block", "u32"),
    ("cluster", "u32"),
    ("dynamic_smem", "u32"),
    ("grid", "u32"),
    ("max_registers", "u32"),
    ("max_spills", "u32"),
    ("max_stack", "u32"),
    ("max_tail_idle", "f64"),
    ("max_waves", "f64"),
    ("min_blocks_per_sm", "u32"),
    ("min_lane_efficiency", "f64"),
    ("min_occupancy", "f64"),
    ("min_warps_per_sm", "u32"),
    ("min_waves", "f64"),
    ("registers", "u32"),
    ("static_smem", "u32"),
];

/// Returns a name of `length` letters that `code` has not.
fn unused_name(code: &str, length: usize) -> String {
    let names = ('A'..='Z').map(|first| format!("{first}{}", "_".repeat(length - 1)));
    let words: Vec<&str> = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    names.into_iter().find(|name| !words.contains(&name.as_str())).expect("a case has few numbers")
}

/// Returns the type of a constant that can stand for `number` as a value of `key`.
fn constant_type(key: &str, number: &str) -> Option<&'static str> {
    let (_, value_type) = KEYS.iter().find(|(name, _)| *name == key)?;
    let is_of_type = match *value_type {
        "f64" => number.contains('.') && number.parse::<f64>().is_ok(),
        _ => number.parse::<u32>().is_ok(),
    };
    is_of_type.then_some(value_type)
}

/// Returns a case with the numbers of its attributes behind constants, which are added at its end.
fn with_constants(case: &str) -> String {
    const SEPARATORS: [char; 5] = [',', ' ', '(', ')', '\n'];
    let mut code = String::new();
    let mut constants = String::new();
    for (index, part) in case.split_inclusive("#[launch_config(").enumerate() {
        // Each part but the first starts with the arguments of an attribute.
        let (arguments, rest) = if index == 0 { ("", part) } else { part.split_at(part.find(")]").unwrap()) };
        let mut key = "";
        for piece in arguments.split_inclusive(SEPARATORS) {
            let word = piece.trim_end_matches(SEPARATORS);
            if let Some(value_type) = constant_type(key, word) {
                let name = unused_name(&format!("{case}{constants}"), word.len());
                writeln!(constants, "const {name}: {value_type} = {word};").unwrap();
                code += &piece.replacen(word, &name, 1);
            } else {
                code += piece;
            }
            if word.starts_with(|first: char| first.is_ascii_lowercase()) && word != "as" {
                key = word;
            }
        }
        code += rest;
    }
    assert!(!constants.is_empty(), "no number became a constant:\n{case}");
    code + &constants
}

/// Cases of `ui/cubin` whose check can be left to the compiler.
const COMPILED: [&str; 5] = ["ceiling", "occupancy", "spills", "spills_not_told", "stack"];

#[test]
fn constants_are_told_what_literals_are_told() {
    if !compiler::is_pinned() {
        return;
    }
    let package = Package::new("front-ends", "");
    compiler::copy_kernels(&package.folder);
    let literal = fs::read_dir("ui/literal").unwrap().map(|case| case.unwrap().path());
    let compiled = COMPILED.iter().map(|name| Path::new("ui/cubin").join(name));
    let mut modules = "#![allow(warnings)]\n".to_owned();
    let mut expected = BTreeMap::new();
    for case in literal.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).chain(compiled) {
        let read = |extension| fs::read_to_string(case.with_extension(extension)).unwrap().replace("\r\n", "\n");
        let name = case.file_stem().unwrap().to_str().unwrap();
        package.write(&format!("src/{name}.rs"), with_constants(&read("rs")));
        writeln!(modules, "mod {name};").unwrap();
        expected.extend(errors(&read("stderr")));
    }
    package.write("src/lib.rs", modules);

    let messages = package.build(&[]).messages;
    assert_eq!(messages.matches("\nerror: ").count(), 1, "all but cargo's own are of the compiler:\n{messages}");
    let found = errors(&messages);
    for (file, expected) in &expected {
        assert_eq!(found.get(file), Some(expected), "{file}");
    }
    assert!(found == expected && found.len() > 30);
}

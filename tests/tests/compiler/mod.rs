//! The compiler as a test calls it on code that must not build.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The compiler that wrote the expected messages: another one can underline and explain differently.
const PINNED: &str = "rustc 1.95.";

/// Returns whether this compiler wrote the expected messages.
pub(crate) fn is_pinned() -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_pinned = version.starts_with(PINNED);
    if !is_pinned {
        println!("skipped: the messages are those of {PINNED}x, this is {}", version.trim());
    }
    is_pinned
}

/// Checks the package in `folder` offline, with only those of our variables that are in `variables`.
///
/// All packages share a target directory, so their dependencies are built once.
pub(crate) fn check(folder: &Path, variables: &[(&str, &str)]) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "--color", "never", "--target-dir"]);
    cargo.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages/target")).current_dir(folder);
    // The environment of this run must not change the messages.
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        if name.starts_with("OCC_") || name.ends_with("RUSTFLAGS") {
            cargo.env_remove(&variable);
        }
    }
    cargo.envs(variables.iter().copied()).output().expect("cargo runs")
}

/// Copies the compiled kernels into the package in `folder`: `cubin = ".."` is relative to a package.
pub(crate) fn copy_kernels(folder: &Path) {
    for (from, into) in [
        ("kernels", ""),
        ("../examples/saxpy/kernels/prebuilt/unroll-4", "unroll-4"),
        ("../examples/saxpy/kernels/prebuilt/unroll-32", "unroll-32"),
    ] {
        let into = folder.join("kernels").join(into);
        fs::create_dir_all(&into).expect("the target directory can be written");
        for file in fs::read_dir(from).expect("the kernels are there") {
            let file = file.expect("readable").path();
            if file.is_file() {
                fs::copy(&file, into.join(file.file_name().expect("a file"))).expect("it can be copied");
            }
        }
    }
}

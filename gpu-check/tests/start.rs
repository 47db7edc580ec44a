//! The program where there is no driver, and with a report to compare.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    // Nowhere to find a driver, even on a machine that has one in a usual place of its own.
    Command::new(env!("CARGO_BIN_EXE_gpu-check")).args(arguments).env("LD_LIBRARY_PATH", "").output().unwrap()
}

#[test]
fn it_says_that_there_is_no_driver() {
    if ["libcuda.so.1", "libcuda.so"].iter().any(|name| is_there(name)) {
        return;
    }
    let output = run(&["report-that-is-not-written.json"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(
        said,
        "error: there is no NVIDIA driver here: `libcuda.so.1` is not found. Run this on a machine with a GPU; `--compare \
         REPORT` needs none\n"
    );
    assert!(!std::path::Path::new("report-that-is-not-written.json").exists());
}

/// Whether this machine has the library where the loader looks.
fn is_there(name: &str) -> bool {
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib64"]
        .iter()
        .any(|place| std::path::Path::new(place).join(name).exists())
}

#[test]
fn mistakes_in_its_arguments() {
    for arguments in [&["--compare"] as &[&str], &["--colour"], &["a", "b"], &["--device"], &["--device", "x"]] {
        assert_eq!(run(arguments).status.code(), Some(1), "{arguments:?}");
    }
    let missing = run(&["--compare", "no-such-report.json"]);
    assert!(String::from_utf8(missing.stderr).unwrap().starts_with("error: no-such-report.json: "));
}

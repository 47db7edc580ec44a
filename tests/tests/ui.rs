//! What the attribute says about a wrong launch, word for word, and what it lets pass.
//!
//! `TRYBUILD=overwrite cargo test -p occ-tests --test ui` writes the `.stderr` files again; each is then to be read.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The compiler the messages were written by: another one underlines and explains in its own way.
const COMPILER: &str = "rustc 1.95.";

fn is_pinned() -> bool {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    let version = String::from_utf8_lossy(&version);
    let is_pinned = version.starts_with(COMPILER);
    if !is_pinned {
        println!("skipped: the messages are those of {COMPILER}x, this is {}", version.trim());
    }
    is_pinned
}

/// Puts the compiled kernels where the cases' package is: `cubin = ".."` is relative to a package.
fn with_kernels() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target directory");
    let kernels = target.join("tests/trybuild/occ-tests/kernels");
    for (from, into) in [
        ("kernels", ""),
        ("../examples/saxpy/kernels/prebuilt/unroll-4", "unroll-4"),
        ("../examples/saxpy/kernels/prebuilt/unroll-32", "unroll-32"),
    ] {
        let into = kernels.join(into);
        fs::create_dir_all(&into).expect("the target directory can be written");
        for file in fs::read_dir(from).expect("the kernels are there") {
            let file = file.expect("readable").path();
            if file.is_file() {
                fs::copy(&file, into.join(file.file_name().expect("a file"))).expect("it can be copied");
            }
        }
    }
}

/// Reported by `cargo check` already.
#[test]
fn refused_while_checking() {
    if !is_pinned() {
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/literal/*.rs");
    cases.compile_fail("ui/constant/*.rs");
    cases.compile_fail("ui/input/*.rs");
    cases.compile_fail("ui/warning/*.rs");
    with_kernels();
    cases.compile_fail("ui/cubin/*.rs");
}

/// Reported when generic code is instantiated, so only by a build; and what passes.
#[test]
fn refused_while_building() {
    if !is_pinned() {
        return;
    }
    let cases = trybuild::TestCases::new();
    with_kernels();
    cases.pass("ui/pass/*.rs");
    for case in std::fs::read_dir("ui/generic").expect("the cases are in ui/generic") {
        let path = case.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            cases.compile_fail(path);
        }
    }
}

//! What the attribute says about a wrong launch, word for word, and what it lets pass.
//!
//! `TRYBUILD=overwrite cargo test -p occ-tests --test ui` writes the `.stderr` files again; each is then to be read.

mod compiler;

use std::path::Path;

/// Copies the compiled kernels to the package that trybuild makes.
fn copy_kernels() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target directory");
    compiler::copy_kernels(&target.join("tests/trybuild/occ-tests"));
}

/// Reported by `cargo check` already.
#[test]
fn refused_while_checking() {
    if !compiler::is_pinned() {
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/literal/*.rs");
    cases.compile_fail("ui/constant/*.rs");
    cases.compile_fail("ui/input/*.rs");
    cases.compile_fail("ui/warning/*.rs");
    copy_kernels();
    cases.compile_fail("ui/cubin/*.rs");
}

/// Reported when generic code is instantiated, so only by a build; and what passes.
#[test]
fn refused_while_building() {
    if !compiler::is_pinned() {
        return;
    }
    let cases = trybuild::TestCases::new();
    copy_kernels();
    cases.pass("ui/pass/*.rs");
    for case in std::fs::read_dir("ui/generic").expect("the cases are in ui/generic") {
        let path = case.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            cases.compile_fail(path);
        }
    }
}

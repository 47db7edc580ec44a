//! The example whose registers nobody types: it builds with the kernel it has, and not with one that takes more.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use std::path::Path;
use std::process::Command;

/// Whether `cargo check -p saxpy` passes with that much of the loop unrolled, and what it says.
fn check(unroll: &str) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--offline", "--color", "never", "--package", "saxpy", "--target-dir"]);
    cargo.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("saxpy")).current_dir(root);
    cargo.env("OCC_PREBUILT", "1").env("SAXPY_UNROLL", unroll);
    for variable in ["OCC_ARCH", "OCC_GPU", "OCC_MIN_OCCUPANCY", "OCC_UPDATE_PREBUILT", "RUSTFLAGS"] {
        cargo.env_remove(variable);
    }
    let output = cargo.output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

/// The numbers are those that `ptxas -v` printed into `kernels/prebuilt/*/saxpy.sm_80.log`.
#[test]
fn a_pragma_that_raises_registers_fails_the_build() {
    let (passes, said) = check("4");
    assert!(passes, "{said}");
    let (passes, said) = check("32");
    assert!(!passes, "it was built although the kernel takes 76 registers");
    for line in [
        "occupancy 37.5% on sm_80",
        "= note: `saxpy` in $OUT_DIR/saxpy.sm_80.cubin, sm_80: 76 registers, 0 bytes of static shared memory, 0 barriers",
        "= help: limit the kernel to 32 registers to reach 100% on all declared capabilities",
        "cubin = [",
    ] {
        assert!(said.contains(line), "`{line}` is not in:\n{said}");
    }
    let (passes, said) = check("4");
    assert!(passes, "the old kernel no longer passes:\n{said}");
}

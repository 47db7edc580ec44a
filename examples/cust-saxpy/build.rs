//! Compiles the kernel of `examples/saxpy`, or takes its committed cubins where there is no CUDA toolkit.

use occ_artifacts::build::{Error, Kernels};

fn main() -> Result<(), Error> {
    Kernels::new()
        .cuda("kernels/saxpy.cu")
        .define("UNROLL", "4")
        .archs(["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"])
        .or_prebuilt("kernels/prebuilt/unroll-4")
        .compile()?;
    Ok(())
}

//! Compiles the kernel for each capability, or takes the committed cubins where there is no CUDA toolkit.

use occ_artifacts::build::{Error, Kernels};
use std::env;

fn main() -> Result<(), Error> {
    // With `SAXPY_UNROLL=32` the kernel takes too many registers for the launch in `src/main.rs`, and the build fails.
    println!("cargo:rerun-if-env-changed=SAXPY_UNROLL");
    let unroll = env::var("SAXPY_UNROLL").unwrap_or_else(|_| "4".to_owned());
    Kernels::new()
        .cuda("kernels/saxpy.cu")
        .define("UNROLL", unroll.as_str())
        .archs(["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"])
        .or_prebuilt(format!("kernels/prebuilt/unroll-{unroll}"))
        .compile()?;
    Ok(())
}

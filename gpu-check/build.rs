//! The kernels for every capability: the committed cubins, or compiled where there is CUDA.

use occ_artifacts::build::{Error, Kernels};

fn main() -> Result<(), Error> {
    Kernels::new()
        .cuda("kernels/probes.cu")
        .archs(["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_110", "sm_120"])
        .or_prebuilt("kernels/prebuilt")
        .compile()?;
    Ok(())
}

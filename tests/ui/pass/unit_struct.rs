#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::{Arch, launch_config};

const BLOCK: u32 = 256;

/// A launch with its name.
#[launch_config(arch = ["sm_80", "sm_90"], min_occupancy = 0.5, block = 256, registers = 64)]
#[derive(Clone, Copy, Debug)]
pub struct Saxpy;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = (BLOCK / 2, 2), dynamic_smem = 4 * BLOCK, on_mismatch = "warn")]
struct Daxpy;

fn main() {
    let _ = (Saxpy, Daxpy);
    assert_eq!(Saxpy::SPEC.name(), "Saxpy");
    assert_eq!(Saxpy::SPEC.archs(), [Arch::SM_80, Arch::SM_90]);
    assert_eq!(Daxpy::SPEC.shape().block, [128, 2, 1]);
    assert_eq!(Daxpy::SPEC.shape().dynamic_smem, 1024);
    assert_eq!(Daxpy::SPEC.mismatch(), occ_runtime::OnMismatch::Warn);
    assert_eq!(Daxpy::SPEC.register_budget(), Some(64));
}

#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = Self::BLOCK, registers = 40)]
struct Saxpy;

impl Saxpy {
    const BLOCK: u32 = 256;
}

fn main() {
    let _ = Saxpy;
    assert_eq!(Saxpy::SPEC.shape().threads(), 256);
}

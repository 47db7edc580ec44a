#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const BLOCK: u32 = 128;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 64, spec = FIRST)]
#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = BLOCK, registers = 64, spec = SECOND)]
#[must_use]
#[launch_config(arch = "sm_90", block = 100, registers = 64, allow(partial_warp))]
fn solve() -> u32 {
    1
}

fn main() {
    assert_eq!(solve(), 1);
    assert_eq!(FIRST.shape().threads() + SECOND.shape().threads(), 384);
}

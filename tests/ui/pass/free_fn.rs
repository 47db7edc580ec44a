#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 64)]
fn literal() -> u32 {
    1
}

const BLOCK: u32 = 256;

#[launch_config(arch = ["sm_80", "sm_89"], min_occupancy = 0.5, block = BLOCK, registers = 40)]
fn constant() -> u32 {
    2
}

#[occ_runtime::launch_config(
    arch = "sm_80",
    min_occupancy = 0.5,
    block = (BLOCK / 16, 16),
    dynamic_smem = size_of::<f32>() as u32 * BLOCK,
    registers = 40,
)]
const fn in_const() -> u32 {
    3
}

fn main() {
    const { assert!(in_const() == 3) };
    assert_eq!(literal() + constant(), 3);
}

#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const GRID: u32 = 640 * 4;

#[launch_config(gpu = "Tesla V100 SXM2 16 GB", block = 256, registers = 32, grid = 2560, min_waves = 4, max_tail_idle = 0.0)]
fn literal() {}

#[launch_config(gpu = "Tesla V100 SXM2 16 GB", block = 256, registers = 32, grid = (GRID / 4, 4), min_waves = 3.5, max_tail_idle = 0.5)]
fn constant() {}

fn main() {
    literal();
    constant();
}

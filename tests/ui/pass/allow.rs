#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 100, registers = 32, allow = (partial_warp))]
fn one() {}

#[launch_config(arch = "sm_80", block = 1, registers = 32, allow = single_thread)]
fn bare() {}

#[launch_config(gpu = "Rubin (full chip)", block = 33, registers = 32, allow(partial_warp, single_thread, unconfirmed_gpu))]
fn several() {}

fn main() {
    one();
    bare();
    several();
}

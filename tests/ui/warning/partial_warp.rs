#![deny(deprecated)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = (10, 10), registers = 32)]
fn rows() {}

#[launch_config(arch = "sm_80", block = (10, 10), registers = 32, allow = (partial_warp))]
fn rows_on_purpose() {}

fn main() {
    rows();
    rows_on_purpose();
}

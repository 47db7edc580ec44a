#![deny(deprecated)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 1, registers = 32)]
fn scalar() {}

#[launch_config(arch = "sm_80", block = 1, registers = 32, allow = single_thread)]
fn scalar_on_purpose() {}

fn main() {
    scalar();
    scalar_on_purpose();
}

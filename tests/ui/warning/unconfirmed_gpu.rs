#![deny(deprecated)]

use occ_runtime::launch_config;

#[launch_config(gpu = "Rubin (full chip)", block = 256, registers = 32)]
fn saxpy() {}

#[launch_config(gpu = "Rubin (full chip)", block = 256, registers = 32, allow(unconfirmed_gpu))]
fn saxpy_on_purpose() {}

fn main() {
    saxpy();
    saxpy_on_purpose();
}

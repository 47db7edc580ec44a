#![deny(deprecated)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/unlinked.sm_90.cubin")]
fn tile() {}

fn main() {}

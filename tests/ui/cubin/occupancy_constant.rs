use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, cubin = "kernels/unroll-32/saxpy.sm_80.cubin")]
fn saxpy() {}

fn main() {}

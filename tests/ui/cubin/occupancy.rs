use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, cubin = "kernels/unroll-32/saxpy.sm_80.cubin")]
fn saxpy() {}

fn main() {}

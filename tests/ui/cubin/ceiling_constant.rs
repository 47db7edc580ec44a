use occ_runtime::launch_config;

const MOST: u32 = 64;

#[launch_config(arch = "sm_80", block = 256, registers = MOST, cubin = "kernels/unroll-32/saxpy.sm_80.cubin")]
fn saxpy() {}

fn main() {}

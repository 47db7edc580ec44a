use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_75", "sm_80"],
    block = 256,
    registers = 64,
    cubin = ["kernels/unroll-32/saxpy.sm_75.cubin", "kernels/unroll-32/saxpy.sm_80.cubin"],
)]
fn saxpy() {}

fn main() {}

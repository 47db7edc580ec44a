use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_75", "sm_80", "sm_90"],
    min_occupancy = 0.5,
    block = 256,
    cubin = ["kernels/unroll-32/saxpy.sm_75.cubin",
        "kernels/unroll-32/saxpy.sm_80.cubin", "kernels/unroll-4/saxpy.sm_90.cubin"],
)]
fn saxpy() {}

fn main() {}

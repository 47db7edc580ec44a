use occ_runtime::launch_config;

const MOST: u32 = 64;

#[launch_config(
    arch = "sm_90",
    block = 1024,
    max_spills = MOST,
    cubin = ["kernels/kernels.sm_90.cubin", "kernels/kernels.sm_90.log"],
)]
fn spilled() {}

fn main() {}

use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_90",
    block = 256,
    max_stack = 1024,
    cubin = ["kernels/kernels.sm_90.cubin", "kernels/kernels.sm_90.log"],
)]
fn recursive() {}

fn main() {}

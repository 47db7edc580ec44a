use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_90",
    block = 256,
    dynamic_smem = 100 * 1024,
    cubin = ["kernels/kernels.sm_90.cubin", "kernels/kernels.sm_90.ptx"],
)]
fn promise() {}

fn main() {}

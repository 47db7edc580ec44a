use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(
    arch = "sm_90",
    block = BLOCK,
    dynamic_smem = 100 * 1024,
    cubin = ["kernels/kernels.sm_90.cubin", "kernels/kernels.sm_90.ptx"],
)]
fn promise() {}

fn main() {}

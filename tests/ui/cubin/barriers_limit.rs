use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", min_blocks_per_sm = 5, block = 64, cubin = "kernels/kernels.sm_90.cubin")]
fn barriers() {}

fn main() {}

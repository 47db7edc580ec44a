use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", min_blocks_per_sm = 6, block = 256, cubin = "kernels/kernels.sm_90.cubin")]
fn tile() {}

fn main() {}

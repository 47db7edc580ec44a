use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 256, max_stack = 128, cubin = "kernels/kernels.sm_90.cubin")]
fn local() {}

fn main() {}

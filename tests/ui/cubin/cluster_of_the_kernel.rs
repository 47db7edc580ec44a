use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", gpu = "H100 SXM5", block = 64, grid = 33, cubin = "kernels/kernels.sm_90.cubin")]
fn paired() {}

fn main() {}

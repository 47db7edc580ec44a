use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = (64, 2), cubin = "kernels/kernels.sm_90.cubin")]
fn exact() {}

fn main() {}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 1024, max_spills = 0, cubin = "kernels/kernels.sm_90.cubin")]
fn spilled() {}

fn main() {}

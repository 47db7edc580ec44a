use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 64, cubin = ["kernels/kernels.sm_90.cubin", "kernels/stale.sm_90.log"])]
fn barriers() {}

fn main() {}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, static_smem = 1024, barriers = 2, cubin = "kernels/kernels.sm_80.cubin")]
fn tile() {}

fn main() {}

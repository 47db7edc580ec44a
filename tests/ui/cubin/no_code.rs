use occ_runtime::launch_config;

#[launch_config(arch = ["sm_80", "sm_90", "sm_120"], block = 256, cubin = "kernels/kernels.sm_80.cubin")]
fn tile() {}

fn main() {}

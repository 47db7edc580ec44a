use occ_runtime::launch_config;

#[launch_config(arch = ["sm_80", "sm_90"], block = 256, cubin = "kernels/plain.fatbin")]
fn tile() {}

fn main() {}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/readme.txt")]
fn saxpy() {}

fn main() {}

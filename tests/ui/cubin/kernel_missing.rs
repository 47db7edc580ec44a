use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/kernels.sm_80.cubin", kernel = "recursiv")]
fn saxpy() {}

fn main() {}

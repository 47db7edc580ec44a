use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, cubin = SAXPY, kernel = 1)]
fn saxpy() {}

fn main() {}

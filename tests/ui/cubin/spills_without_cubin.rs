use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 1024, registers = 32, max_spills = 0, max_stack = 0)]
fn spilled() {}

fn main() {}

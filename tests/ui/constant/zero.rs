use occ_runtime::launch_config;

const ZERO: u32 = 0;

#[launch_config(arch = "sm_80", block = 256, registers = ZERO)]
fn registers() {}

#[launch_config(arch = "sm_80", block = 256, min_blocks_per_sm = ZERO)]
fn blocks() {}

#[launch_config(arch = "sm_80", block = ZERO, registers = 32)]
fn block() {}

fn main() {
    registers();
    blocks();
    block();
}

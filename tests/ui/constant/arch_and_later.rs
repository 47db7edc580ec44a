use occ_runtime::launch_config;

const BLOCK: u32 = 1024;

#[launch_config(arch = "sm_80..", min_occupancy = 0.75, block = BLOCK, registers = 32)]
fn gemm() {}

fn main() {
    gemm();
}

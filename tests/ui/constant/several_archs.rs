use occ_runtime::launch_config;

const REGISTERS: u32 = 64;

#[launch_config(arch = ["sm_75", "sm_80", "sm_86", "sm_90"], min_occupancy = 0.6, block = 256, registers = REGISTERS)]
fn gemm() {}

fn main() {
    gemm();
}

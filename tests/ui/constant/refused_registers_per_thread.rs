use occ_runtime::launch_config;

const REGISTERS: u32 = 256;

#[launch_config(arch = "sm_80", block = 256, registers = REGISTERS)]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

const BLOCK: u32 = 512;

#[launch_config(arch = "sm_89", block = BLOCK, registers = 162)]
fn gemm() {}

fn main() {
    gemm();
}

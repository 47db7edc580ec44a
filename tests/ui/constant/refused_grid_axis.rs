use occ_runtime::launch_config;

const ROWS: u32 = 65536;

#[launch_config(arch = "sm_80", block = 256, registers = 32, grid = (16, ROWS))]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

const TILE: u32 = 8;

#[launch_config(arch = "sm_80", block = (32, TILE / 16), registers = 32)]
fn gemm() {}

fn main() {
    gemm();
}

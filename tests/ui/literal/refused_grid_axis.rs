use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, registers = 32, grid = (16, 65536))]
fn gemm() {}

fn main() {
    gemm();
}

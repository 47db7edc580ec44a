use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, registers = 256)]
fn gemm() {}

fn main() {
    gemm();
}

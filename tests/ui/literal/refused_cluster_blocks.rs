use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 256, registers = 32, cluster = 32)]
fn gemm() {}

fn main() {
    gemm();
}

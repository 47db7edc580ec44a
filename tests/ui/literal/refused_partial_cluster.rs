use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 256, registers = 32, cluster = (2, 2), grid = (64, 33))]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_86", block = 256, registers = 32, dynamic_smem = 100 * 1024)]
fn gemm() {}

fn main() {
    gemm();
}

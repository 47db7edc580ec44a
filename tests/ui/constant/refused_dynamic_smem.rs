use occ_runtime::launch_config;

const KIB: u32 = 1024;

#[launch_config(arch = "sm_86", block = 256, registers = 32, dynamic_smem = 100 * KIB)]
fn gemm() {}

fn main() {
    gemm();
}

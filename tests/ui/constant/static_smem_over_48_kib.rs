use occ_runtime::launch_config;

const BYTES: u32 = 65536;

#[launch_config(arch = "sm_80", block = 256, registers = 32, static_smem = BYTES)]
fn gemm() {}

fn main() {
    gemm();
}

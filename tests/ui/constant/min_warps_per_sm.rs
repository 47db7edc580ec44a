use occ_runtime::launch_config;

const BLOCK: u32 = 128;

#[launch_config(arch = "sm_75", min_warps_per_sm = 32, block = BLOCK, registers = 80)]
fn gemm() {}

fn main() {
    gemm();
}

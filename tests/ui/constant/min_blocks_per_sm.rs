use occ_runtime::launch_config;

const BLOCKS: u32 = 3;

#[launch_config(arch = "sm_80", min_blocks_per_sm = BLOCKS, block = 256, registers = 96)]
fn gemm() {}

fn main() {
    gemm();
}

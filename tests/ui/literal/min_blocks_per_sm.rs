use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_blocks_per_sm = 3, block = 256, registers = 96)]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_80",
    min_occupancy = 0.5,
    min_blocks_per_sm = 5,
    min_warps_per_sm = 48,
    block = 256,
    registers = 168
)]
fn gemm() {}

fn main() {
    gemm();
}

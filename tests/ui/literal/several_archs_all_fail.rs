use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"],
    min_occupancy = 0.5,
    block = 256,
    registers = 200
)]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

#[launch_config(arch = ["sm_75", "sm_80", "sm_86", "sm_90"], min_occupancy = 0.6, block = 256, registers = 64)]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80..", min_occupancy = 0.75, block = 1024, registers = 32)]
fn gemm() {}

fn main() {
    gemm();
}

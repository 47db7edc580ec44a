use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.75, block = 256, registers = 64, dynamic_smem = 40000)]
fn gemm() {}

fn main() {
    gemm();
}

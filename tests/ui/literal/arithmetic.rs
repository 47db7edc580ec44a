use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 1.0 / 2.0, block = (4 * 8, 8), registers = 128 + 40)]
fn gemm() {}

fn main() {
    gemm();
}

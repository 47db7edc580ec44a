use occ_runtime::launch_config;

#[launch_config(arch = "sm_75", min_warps_per_sm = 32, block = 128, registers = 80)]
fn gemm() {}

fn main() {
    gemm();
}

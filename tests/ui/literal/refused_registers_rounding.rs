use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 258, registers = 255, allow = (partial_warp))]
fn gemm() {}

fn main() {
    gemm();
}

use occ_runtime::launch_config;

#[launch_config(arch = ["sm_80", "sm_90"], block = 256, registers = 32, cluster = (2, 1, 1))]
fn gemm() {}

fn main() {
    gemm();
}

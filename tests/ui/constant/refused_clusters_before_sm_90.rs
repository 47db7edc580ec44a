use occ_runtime::launch_config;

const CLUSTER: u32 = 2;

#[launch_config(arch = ["sm_80", "sm_90"], block = 256, registers = 32, cluster = CLUSTER)]
fn gemm() {}

fn main() {
    gemm();
}

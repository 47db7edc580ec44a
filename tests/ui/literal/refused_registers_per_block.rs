use occ_runtime::launch_config;

#[launch_config(arch = "sm_89", block = 512, registers = 162)]
fn gemm() {}

fn main() {
    gemm();
}

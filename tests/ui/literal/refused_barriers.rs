use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, registers = 32, barriers = 17)]
fn pipeline() {}

fn main() {
    pipeline();
}

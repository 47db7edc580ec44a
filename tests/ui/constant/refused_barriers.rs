use occ_runtime::launch_config;

const STAGES: u32 = 17;

#[launch_config(arch = "sm_80", block = 256, registers = 32, barriers = STAGES)]
fn pipeline() {}

fn main() {
    pipeline();
}

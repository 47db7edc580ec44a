use occ_runtime::launch_config;

const STAGES: u32 = 8;

#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = 64, registers = 32, barriers = STAGES)]
fn pipeline() {}

fn main() {
    pipeline();
}

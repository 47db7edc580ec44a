use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = 64, registers = 32, barriers = 8)]
fn pipeline() {}

fn main() {
    pipeline();
}

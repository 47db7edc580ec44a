use occ_runtime::launch_config;

const BLOCK: u32 = 100;

#[launch_config(arch = "sm_80", block = BLOCK, registers = 32, min_lane_efficiency = 0.9)]
fn rows() {}

fn main() {
    rows();
}

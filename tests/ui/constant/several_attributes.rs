use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 168)]
#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = BLOCK, registers = 40)]
#[launch_config(arch = "sm_86", min_occupancy = 0.5, block = 2 * BLOCK, registers = 80)]
fn solve() {}

fn main() {
    solve();
}

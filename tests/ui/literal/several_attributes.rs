use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168)]
#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = 256, registers = 40)]
#[launch_config(arch = "sm_86", min_occupancy = 0.5, block = 512, registers = 80)]
fn solve() {}

fn main() {
    solve();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 1 / 2, block = 256, registers = 168)]
fn half() {}

#[launch_config(arch = "sm_80", min_lane_efficiency = 9 / 10, block = 33, registers = 32, allow = (partial_warp))]
fn lanes() {}

#[launch_config(arch = "sm_80", min_occupancy = (1 >> 1), block = 256, registers = 168)]
fn shifted() {}

fn main() {
    shifted();
    half();
    lanes();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 100, registers = 32, min_lane_efficiency = 0.9, allow = (partial_warp))]
fn rows() {}

fn main() {
    rows();
}

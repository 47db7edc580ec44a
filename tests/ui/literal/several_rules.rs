use occ_runtime::launch_config;

#[launch_config(
    gpu = "A100 SXM4 40 GB",
    min_occupancy = 0.5,
    min_lane_efficiency = 0.9,
    min_waves = 4,
    max_tail_idle = 0.1,
    block = 33,
    registers = 255,
    grid = 600,
    allow = (partial_warp)
)]
fn everything() {}

fn main() {
    everything();
}

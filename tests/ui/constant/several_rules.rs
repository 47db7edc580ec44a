use occ_runtime::launch_config;

const BLOCK: u32 = 40;
const GRID: u32 = 600;

#[launch_config(
    gpu = "A100 SXM4 40 GB",
    min_occupancy = 0.5,
    min_lane_efficiency = 0.9,
    min_waves = 4,
    max_tail_idle = 0.1,
    block = BLOCK,
    registers = 255,
    grid = GRID
)]
fn everything() {}

fn main() {
    everything();
}

#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_90",
    gpu = "H100 SXM5",
    min_occupancy = 0.25,
    min_blocks_per_sm = 2,
    min_warps_per_sm = 16,
    min_lane_efficiency = 1.0,
    min_waves = 2,
    max_tail_idle = 0.9,
    block = (128, 2, 1),
    dynamic_smem = 32 << 10,
    static_smem = 1024,
    max_registers = 64,
    barriers = 2,
    cluster = (2, 1, 1),
    carveout = "max_shared",
    grid = (1320, 1, 1),
    on_mismatch = "ignore",
    allow = (partial_warp),
    spec = EVERYTHING,
    crate = ::occ_runtime,
)]
fn everything() {}

fn main() {
    everything();
    assert_eq!(EVERYTHING.shape().cluster, Some([2, 1, 1]));
}

use occ_runtime::launch_config;

const TILE: u32 = 32;

#[launch_config(arch = "sm_86", min_occupancy = 1.0, block = (TILE, TILE), registers = 32)]
fn transpose() {}

fn main() {
    transpose();
}

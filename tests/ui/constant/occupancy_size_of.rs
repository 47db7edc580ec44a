use occ_runtime::launch_config;

const TILE: u32 = 32;

#[launch_config(
    arch = "sm_86",
    min_occupancy = 0.5,
    block = (TILE, 8),
    registers = 32,
    dynamic_smem = size_of::<[f64; 6]>() as u32 * TILE * TILE
)]
fn reduce() {}

fn main() {
    reduce();
}

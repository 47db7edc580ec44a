use occ_runtime::launch_config;

const GRID: u32 = 2000;

#[launch_config(gpu = "Tesla V100 SXM2 16 GB", block = 256, registers = 32, grid = GRID, min_waves = 4.0)]
fn saxpy() {}

fn main() {
    saxpy();
}

use occ_runtime::launch_config;

const GRID: u32 = 2000;

#[launch_config(gpu = "Tesla V100 SXM2 16 GB", block = 256, registers = 32, grid = GRID, max_tail_idle = 0.25)]
fn saxpy() {}

fn main() {
    saxpy();
}

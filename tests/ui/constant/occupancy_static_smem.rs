use occ_runtime::launch_config;

mod tile {
    pub const BYTES: u32 = 40 * 1024;
}

#[launch_config(arch = "sm_86", min_occupancy = 0.5, block = 256, registers = 32, static_smem = tile::BYTES)]
fn reduce() {}

fn main() {
    reduce();
}

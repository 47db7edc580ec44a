use occ_runtime::launch_config;

struct Tile;

impl Tile {
    const SIDE: usize = 128;

    #[launch_config(
        arch = "sm_86",
        min_occupancy = 0.5,
        block = 256,
        registers = 32,
        dynamic_smem = (Self::SIDE * Self::SIDE * size_of::<f32>()) as u32
    )]
    fn step(&self) {}
}

fn main() {
    Tile.step();
}

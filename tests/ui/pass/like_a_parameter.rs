use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

struct Tile;

impl Tile {
    const N: u32 = 128;
}

#[launch_config(arch = "sm_80", block = Tile::N, registers = 32, spec = TILE)]
fn tile<const N: u32>() {}

#[launch_config(arch = "sm_80", block = 256, dynamic_smem = 0, registers = 32)]
#[launch_config(arch = "sm_80", block = 128, dynamic_smem = 0, registers = 32)]
fn two() {
    launch!(module.k<<<1, 256, 0, stream>>>());
    launch!(module.k<<<1, (128u32, 1, 1), 0, stream>>>());
}

#[launch_config(arch = "sm_80", block = 256, registers = 32)]
fn types() {
    launch!(module.k<<<1, 256, size_of::<u128>() as u32, stream>>>());
}

fn main() {
    tile::<64>();
    two();
    types();
    assert_eq!(TILE.launch().block, [128, 1, 1]);
}

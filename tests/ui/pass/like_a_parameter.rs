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

/// A cast to a pointer is no constant of an inner block.
#[launch_config(arch = "sm_80", registers = 32)]
fn pointers(x: *const u8) {
    let _ = { x as *const f32 };
    launch!(module.k<<<1, 256, size_of::<f32>() as u32 * 256, stream>>>(x as *const f32));
}

const fn last(range: core::ops::Range<u32>) -> u32 {
    range.end
}

#[launch_config(arch = "sm_80", block = last(0..N), registers = 32)]
fn in_a_range<const N: u32>() {}

fn main() {
    pointers(core::ptr::null());
    in_a_range::<128>();
    tile::<64>();
    two();
    types();
    assert_eq!(TILE.shape().block, [128, 1, 1]);
}

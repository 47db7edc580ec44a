#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const BLOCK: u32 = 128;

macro_rules! kernel {
    ($(#[$attribute:meta])* $vis:vis $name:ident, $block:expr, $smem:expr, $min:literal, $arch:literal, $ty:ty) => {
        #[launch_config(
            arch = $arch,
            min_occupancy = $min,
            block = ($block, 2),
            dynamic_smem = $smem * size_of::<$ty>() as u32,
            registers = 40
        )]
        $(#[$attribute])*
        $vis fn $name(x: $ty) -> $ty {
            x
        }
    };
}

kernel!(literal, 128, 32, 0.5, "sm_80", f32);
kernel!(
    #[must_use]
    pub(crate) constant, BLOCK, 4 + 4, 0.5, "sm_90a", u8
);
kernel!(pub exported, BLOCK / 2, BLOCK, 0.25, "sm_80..", u16);

fn main() {
    assert_eq!(literal(1.0).to_bits(), 1.0f32.to_bits());
    assert_eq!(constant(1), 1);
    assert_eq!(exported(1), 1);
}

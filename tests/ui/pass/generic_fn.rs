#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_80",
    min_occupancy = 0.5,
    block = N as u32,
    registers = 64,
    dynamic_smem = (N * size_of::<T>()) as u32,
    instances(N = [64, 128, 256], T = [f32, f64, [u8; 3]]),
)]
fn reduce<'a, T, const N: usize>(x: &'a [T; N]) -> &'a T
where
    T: Copy,
{
    &x[0]
}

#[launch_config(arch = "sm_80", block = 256, registers = 64)]
fn not_in_the_values<T: Copy>(x: T) -> T {
    x
}

struct Tile<const N: u32>;

impl<const N: u32> Tile<N> {
    #[launch_config(arch = "sm_80", block = N, registers = 64, generic)]
    fn side(&self) -> u32 {
        N
    }

    #[launch_config(arch = "sm_80", block = M, registers = 64, instances(M = [64, 128]))]
    fn both<const M: u32>(&self) -> u32 {
        N + M
    }
}

fn main() {
    assert_eq!(*reduce(&[1; 64]), not_in_the_values(1));
    assert_eq!(Tile::<128>.side() + Tile::<128>.both::<64>(), 320);
}

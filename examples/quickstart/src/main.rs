//! Three launches that are checked at compile time. The program prints the occupancy of each.
//!
//! It needs neither a GPU nor CUDA: where a real program launches, it prints the launch. Change a number, for example
//! `registers` of `saxpy` to 168, and build again: the build fails and says why.

use occ_runtime::{LaunchSpec, launch_config};

/// All values are literals, so the macro checks them, and an error shows while you type.
#[launch_config(arch = ["sm_80", "sm_89"], min_occupancy = 0.5, block = 256, registers = 32, spec = SAXPY)]
fn saxpy(n: u32) {
    let [threads, ..] = SAXPY.shape().block;
    would_launch(&SAXPY, [n.div_ceil(threads), 1, 1]);
}

/// Rows and columns per tile.
const TILE: u32 = 16;
/// Size of two tiles, one of each factor, in bytes.
const TILES: u32 = 2 * TILE * TILE * size_of::<f32>() as u32;

/// Block and shared memory are constants, so the compiler checks them and reports the same errors. The exact number of
/// registers is unknown, but the kernel is compiled with `-maxrregcount 64`.
#[launch_config(
    arch = ["sm_86", "sm_90"],
    min_occupancy = 0.5,
    block = (TILE, TILE),
    dynamic_smem = TILES,
    max_registers = 64,
    spec = MATMUL,
)]
fn matmul(rows: u32, columns: u32) {
    would_launch(&MATMUL, [columns.div_ceil(TILE), rows.div_ceil(TILE), 1]);
}

/// A launch with a name of its own, `Reduction::SPEC`. The attribute names the GPU, so the grid is checked as well.
#[launch_config(
    gpu = "A100 SXM4",
    min_lane_efficiency = 1.0,
    min_waves = 1.0,
    max_tail_idle = 0.1,
    block = 512,
    static_smem = 512 * 4,
    registers = 32,
    grid = 4 * 108,
)]
struct Reduction;

fn main() {
    println!("Every launch below was checked at compile time: it runs on each target and meets its requirements.\n");
    println!("{SAXPY:#}");
    saxpy(1 << 20);
    println!("{MATMUL:#}");
    matmul(1000, 2000);
    println!("{:#}", Reduction::SPEC);
    would_launch(&Reduction::SPEC, Reduction::SPEC.shape().grid.unwrap_or([1, 1, 1]));
}

/// Stands in for a launch. Takes block and shared memory from the spec, so they are the checked ones.
fn would_launch(spec: &LaunchSpec, [x, y, z]: [u32; 3]) {
    let [threads_x, threads_y, threads_z] = spec.shape().block;
    let smem = spec.shape().dynamic_smem;
    println!("  would launch <<<({x}, {y}, {z}), ({threads_x}, {threads_y}, {threads_z}), {smem}>>>\n");
}

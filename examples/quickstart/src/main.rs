//! Three launches that are checked when this program is compiled, and what was found out about each.
//!
//! It needs no GPU and no CUDA: where a real program would launch, it prints what it would launch. Change a number, such
//! as `registers` of `saxpy` to 168, and build again: the compiler refuses, and says why.

use occ_runtime::{LaunchSpec, launch_config};

/// Every value is a literal: checked in the macro, so an error shows while typing.
#[launch_config(arch = ["sm_80", "sm_89"], min_occupancy = 0.5, block = 256, registers = 32, spec = SAXPY)]
fn saxpy(n: u32) {
    let [threads, ..] = SAXPY.shape().block;
    would_launch(&SAXPY, [n.div_ceil(threads), 1, 1]);
}

/// Rows and columns of a tile.
const TILE: u32 = 16;
/// Bytes of one tile of each factor.
const TILES: u32 = 2 * TILE * TILE * size_of::<f32>() as u32;

/// Block and shared memory are constants: checked by the compiler, with the same words. The kernel's registers are not
/// known exactly, but it is compiled with `-maxrregcount 64`.
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

/// A launch with a name of its own: `Reduction::SPEC`. The GPU is known, so its grid is checked as well.
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
    println!("Every launch below was checked by the compiler: on each target it can run, and reaches what it must.\n");
    println!("{SAXPY:#}");
    saxpy(1 << 20);
    println!("{MATMUL:#}");
    matmul(1000, 2000);
    println!("{:#}", Reduction::SPEC);
    would_launch(&Reduction::SPEC, Reduction::SPEC.shape().grid.unwrap_or([1, 1, 1]));
}

/// Stands where a program with CUDA launches, with block and shared memory from the spec: as they were checked.
fn would_launch(spec: &LaunchSpec, [x, y, z]: [u32; 3]) {
    let [threads_x, threads_y, threads_z] = spec.shape().block;
    let smem = spec.shape().dynamic_smem;
    println!("  would launch <<<({x}, {y}, {z}), ({threads_x}, {threads_y}, {threads_z}), {smem}>>>\n");
}

//! A launch that is checked at compile time with the registers of the compiled kernel.
//!
//! It needs neither a GPU nor CUDA: without a toolkit, the build script takes the cubins in `kernels/prebuilt`. Where a
//! real program launches, this one prints the launch.

use occ_runtime::{Arch, LaunchSpec, launch_config};

/// Threads per block, as in `kernels/saxpy.cu`.
const BLOCK: u32 = 256;
/// Elements per thread, as in `kernels/saxpy.cu`.
const PER_THREAD: u32 = 32;

/// The kernel waits for memory, so it needs every warp an SM can hold to use the bandwidth. `#pragma unroll` decides
/// how many registers it takes. With `SAXPY_UNROLL=32 cargo check -p saxpy` it takes too many, and the build fails here.
#[launch_config(
    arch = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"],
    min_occupancy = 1.0,
    block = BLOCK,
    cubin = [
        "$OUT_DIR/saxpy.sm_75.cubin",
        "$OUT_DIR/saxpy.sm_80.cubin",
        "$OUT_DIR/saxpy.sm_86.cubin",
        "$OUT_DIR/saxpy.sm_89.cubin",
        "$OUT_DIR/saxpy.sm_90.cubin",
        "$OUT_DIR/saxpy.sm_100.cubin",
        "$OUT_DIR/saxpy.sm_120.cubin",
    ],
    kernel = "saxpy",
    spec = SAXPY,
)]
fn saxpy(n: u32) {
    would_launch(&SAXPY, n.div_ceil(BLOCK * PER_THREAD));
}

/// The cubins to load at run time, one for each capability.
const CUBINS: [(Arch, &[u8]); 7] = [
    (Arch::SM_75, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_75.cubin"))),
    (Arch::SM_80, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_80.cubin"))),
    (Arch::SM_86, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_86.cubin"))),
    (Arch::SM_89, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_89.cubin"))),
    (Arch::SM_90, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_90.cubin"))),
    (Arch::SM_100, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_100.cubin"))),
    (Arch::SM_120, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.sm_120.cubin"))),
];

fn main() {
    for (arch, cubin) in CUBINS {
        println!("{arch}: cubin of {} bytes", cubin.len());
    }
    println!("\n{SAXPY:#}");
    saxpy(1 << 20);
}

/// Stands in for a launch. Takes the block from the spec, so it is the checked one.
fn would_launch(spec: &LaunchSpec, blocks: u32) {
    let [threads, ..] = spec.shape().block;
    println!("  would launch <<<{blocks}, {threads}, {}>>>", spec.shape().dynamic_smem);
}

//! A launch whose registers are those of the compiled kernel, checked when this program is compiled.
//!
//! It needs no GPU and no CUDA: where there is no toolkit, the build script takes the cubins in `kernels/prebuilt`, and
//! where a real program would launch, this one prints what it would launch.

use occ_runtime::{Arch, LaunchSpec, launch_config};

/// Threads of a block, as in `kernels/saxpy.cu`.
const BLOCK: u32 = 256;
/// Elements each thread works on, as in `kernels/saxpy.cu`.
const PER_THREAD: u32 = 32;

/// The kernel waits for memory: only with every warp an SM can hold is the bandwidth used. `#pragma unroll` decides how
/// many registers it takes. With `SAXPY_UNROLL=32 cargo check -p saxpy` they are too many: the build fails here.
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

/// What is loaded at run time: the cubin of the device's capability.
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
        println!("{arch}: a cubin of {} bytes", cubin.len());
    }
    println!("\n{SAXPY:#}");
    saxpy(1 << 20);
}

/// Stands where a program with CUDA launches, with the block from the spec: as it was checked.
fn would_launch(spec: &LaunchSpec, blocks: u32) {
    let [threads, ..] = spec.shape().block;
    println!("  would launch <<<{blocks}, {threads}, {}>>>", spec.shape().dynamic_smem);
}

//! Kernels named in every way a file can tell, with the registers `ptxas -v` printed.

use occ_runtime::{Arch, launch_config};

macro_rules! launch {
    ($($launch:tt)*) => {};
}

const BLOCK: u32 = 256;

#[launch_config(
    arch = ["sm_75", "sm_80..", "sm_90", "sm_100", "sm_120"],
    min_occupancy = 1.0,
    block = BLOCK,
    registers = 32,
    max_stack = 0,
    max_spills = 0,
    cubin = [
        "kernels/unroll-4/saxpy.sm_75.cubin",
        "kernels/unroll-4/saxpy.sm_80.cubin",
        "kernels/unroll-4/saxpy.sm_90.cubin",
        "kernels/unroll-4/saxpy.sm_100.cubin",
        "kernels/unroll-4/saxpy.sm_120.cubin",
        "kernels/unroll-4/saxpy.sm_75.log",
        "kernels/unroll-4/saxpy.sm_80.log",
        "kernels/unroll-4/saxpy.sm_90.log",
        "kernels/unroll-4/saxpy.sm_100.log",
        "kernels/unroll-4/saxpy.sm_120.log",
    ],
    spec = SAXPY,
)]
fn saxpy() {}

/// A compiler log alone tells enough.
#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/kernels.sm_90.log", spec = TILE)]
fn tile() {}

/// A fatbin, whose PTX is compressed as `nvcc` does it.
#[launch_config(arch = "sm_80", block = 64, cubin = "kernels/kernels.fatbin", spec = BARRIERS)]
fn barriers() {}

#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/kernels.sm_80.cubin", kernel = "grid::shift")]
#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/kernels.sm_80.cubin", kernel = "shift")]
#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/kernels.sm_80.cubin", kernel = "_Z5scalePd")]
fn names() {}

/// Each launch is of its own kernel.
#[launch_config(arch = "sm_80", cubin = "kernels/kernels.sm_80.cubin", kernel = "tile", spec = FIRST)]
#[launch_config(arch = "sm_80", cubin = "kernels/kernels.sm_80.cubin", kernel = "local", spec = SECOND)]
fn two() {
    launch!(module.tile<<<1, 256, 0, stream>>>());
    launch!(module.local<<<1, 64, 128, stream>>>());
}

/// The kernel is the one that is launched.
#[launch_config(arch = "sm_80", cubin = "kernels/kernels.sm_80.cubin", spec = LAUNCHED)]
fn step() {
    launch!(module.promise<<<1, (16, 16), 1024, stream>>>());
}

#[launch_config(arch = "sm_90", block = 128, cubin = "kernels/kernels.sm_90.cubin", kernel = "exact")]
struct Exact;

#[launch_config(
    arch = "sm_90",
    gpu = "H100 SXM5",
    block = 64,
    grid = 132,
    min_waves = 0.01,
    cubin = "kernels/kernels.sm_90.cubin"
)]
fn paired() {}

#[launch_config(
    arch = "sm_90",
    block = 256,
    allow = (unlinked_kernel),
    cubin = "kernels/unlinked.sm_90.cubin",
    kernel = "tile",
)]
fn unlinked() {}

fn main() {
    assert_eq!(SAXPY.kernel_on(Arch::SM_75).registers, Some(22));
    assert_eq!(SAXPY.kernel_on(Arch::SM_89).registers, Some(22));
    assert_eq!(SAXPY.kernel_on(Arch::SM_90).registers, Some(20));
    assert_eq!(SAXPY.kernel_on(Arch::SM_100).registers, Some(24));
    assert_eq!(TILE.kernel_on(Arch::SM_90).static_smem, 40960);
    assert_eq!(BARRIERS.kernel_on(Arch::SM_80).barriers, 16);
    assert_eq!(FIRST.shape().block, [256, 1, 1]);
    assert_eq!(SECOND.shape().block, [64, 1, 1]);
    assert_eq!(SECOND.shape().dynamic_smem, 128);
    assert_eq!(LAUNCHED.shape().block, [16, 16, 1]);
    assert_eq!(Exact::SPEC.kernel_on(Arch::SM_90).registers, Some(8));
    assert_eq!(
        SAXPY.to_string().lines().nth(4),
        Some(
            "    `saxpy` in kernels/unroll-4/saxpy.sm_75.cubin, sm_75: 22 registers, 0 bytes of static shared memory, 0 barriers"
        ),
        "{SAXPY}"
    );
}

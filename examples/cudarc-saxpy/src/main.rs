//! y = a x + y with cudarc: checked at compile time and guarded at run time.
//!
//! Run it with `cargo run -p cudarc-saxpy` on a machine with a GPU. Set `RUST_LOG=occ_runtime=debug` to see the guard's
//! log.

mod kernels;

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, PushKernelArg};
use occ_runtime::{LaunchError, launch_config};
use std::error::Error;
use std::sync::Arc;

/// Threads per block, as in `saxpy.cu`.
const BLOCK: u32 = 256;
/// Elements per thread, as in `saxpy.cu`.
const PER_THREAD: u32 = 32;

/// A launch with a name: `Saxpy::SPEC` is the checked launch, and the launches below are made from it.
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
)]
struct Saxpy;

/// Returns the number of blocks for `n` elements.
fn blocks(n: u32) -> u32 {
    n.div_ceil(BLOCK * PER_THREAD)
}

fn saxpy(
    stream: &Arc<CudaStream>,
    function: &CudaFunction,
    n: u32,
    a: f32,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    let mut launch = Saxpy::SPEC.launch_builder(stream, function);
    launch.arg(&n).arg(&a).arg(x).arg(y);
    unsafe { launch.launch(blocks(n)) }?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    env_logger::init();
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let module = kernels::load(&context)?;
    let function = module.load_function("saxpy")?;

    let n = 1 << 20;
    let x = stream.clone_htod(&vec![2.0f32; n])?;
    let mut y = stream.clone_htod(&vec![1.0f32; n])?;
    let n = u32::try_from(n)?;
    saxpy(&stream, &function, n, 3.0, &x, &mut y)?;

    // The check is made here, once. The launches below make no other driver call.
    let bound = Saxpy::SPEC.bind_cudarc(&stream, &function)?;
    let mut launch = bound.launch_builder(&stream);
    launch.arg(&n).arg(&10.0f32).arg(&x).arg(&mut y);
    unsafe { launch.launch(blocks(n)) }?;

    let sum = stream.clone_dtoh(&y)?;
    assert!(sum.iter().all(|y| *y == 1.0 + 3.0 * 2.0 + 10.0 * 2.0), "the kernel computed a wrong sum");
    println!("{}: {n} elements equal 27, in {} blocks of {BLOCK} threads", context.name()?, blocks(n));

    // The driver rejects an empty grid with an error code; the guard says why.
    let nothing = saxpy(&stream, &function, 0, 1.0, &x, &mut y);
    println!("{}", nothing.expect_err("an empty grid cannot be launched"));
    Ok(())
}

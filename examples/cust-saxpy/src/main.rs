//! y = a x + y with cust: checked at compile time and guarded at run time.
//!
//! Run it with `cargo run` on a machine with a GPU. Set `RUST_LOG=occ_runtime=debug` to see the guard's log.

mod kernels;

use cust::error::CudaResult;
use cust::prelude::*;
use occ_runtime::{LaunchError, launch_config};
use std::error::Error;
use std::ffi::c_void;

/// Threads per block, as in `kernels/saxpy.cu`.
const BLOCK: u32 = 256;
/// Elements per thread, as in `kernels/saxpy.cu`.
const PER_THREAD: u32 = 32;

type Floats = DevicePointer<f32>;

/// The launch is ordinary cust code. It is checked for each capability at compile time, and compared with the driver
/// before the first launch.
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
fn saxpy(module: &Module, stream: &Stream, n: u32, a: f32, x: Floats, y: Floats) -> CudaResult<()> {
    unsafe { launch!(module.saxpy<<<blocks(n), BLOCK, 0, stream>>>(n, a, x, y)) }
}

/// Returns the number of blocks for `n` elements.
fn blocks(n: u32) -> u32 {
    n.div_ceil(BLOCK * PER_THREAD)
}

/// The same launch from its spec: block and shared memory are the checked ones, and the error says what is wrong.
fn saxpy_by_spec(module: &Module, stream: &Stream, n: u32, a: f32, x: Floats, y: Floats) -> Result<(), LaunchError> {
    let function = module.get_function("saxpy").expect("the module has the kernel");
    // The check is made here, once. Launches of `saxpy` make no other driver call.
    let saxpy = SAXPY.bind(&function)?;
    let arguments = [
        &raw const n as *mut c_void,
        &raw const a as *mut c_void,
        &raw const x as *mut c_void,
        &raw const y as *mut c_void,
    ];
    unsafe { saxpy.launch(stream, blocks(n), &arguments) }
}

fn main() -> Result<(), Box<dyn Error>> {
    env_logger::init();
    let _context = cust::quick_init()?;
    let device = Device::get_device(0)?;
    let module = kernels::load(device)?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;

    let n = 1 << 20;
    let x = vec![2.0f32; n].as_slice().as_dbuf()?;
    let y = vec![1.0f32; n].as_slice().as_dbuf()?;
    let (pointers, n) = ((x.as_device_ptr(), y.as_device_ptr()), u32::try_from(n)?);
    saxpy(&module, &stream, n, 3.0, pointers.0, pointers.1)?;
    saxpy_by_spec(&module, &stream, n, 10.0, pointers.0, pointers.1)?;
    stream.synchronize()?;

    let sum = y.as_host_vec()?;
    assert!(sum.iter().all(|y| *y == 1.0 + 3.0 * 2.0 + 10.0 * 2.0), "the kernel computed a wrong sum");
    println!("{}: {n} elements equal 27, in {} blocks of {BLOCK} threads", device.name()?, blocks(n));

    // The driver rejects an empty grid with an error code; the guard says why.
    let nothing = saxpy_by_spec(&module, &stream, 0, 1.0, pointers.0, pointers.1);
    println!("{}", nothing.expect_err("an empty grid cannot be launched"));
    Ok(())
}

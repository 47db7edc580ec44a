#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const TILE: u32 = 16;

macro_rules! launch {
    ($($launch:tt)*) => { Ok::<(), ()>(()) };
}

struct BlockSize;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, registers = 40, spec = LITERAL)]
fn literal() -> Result<(), ()> {
    launch!(module.saxpy<<<grid, 256, 1024, stream>>>(x.as_device_ptr(), n))?;
    Ok(())
}

#[launch_config(arch = "sm_80", min_occupancy = 0.5, registers = 40, spec = CONSTANT)]
fn constant() -> Result<(), ()> {
    let _ = BlockSize;
    for _ in 0..2 {
        launch!(module.gemm<<<(4, 4), BlockSize::xy(TILE, TILE), TILE * TILE * 4, stream>>>(a, b, c))?;
    }
    Ok(())
}

// Only known at run time, so declared.
#[launch_config(arch = "sm_80", block = 128, dynamic_smem = 512, registers = 40, spec = DECLARED)]
fn declared(n: u32) -> Result<u32, ()> {
    let block = n;
    launch!(module.saxpy<<<grid, block, 4 * block, stream>>>(x))?;
    Ok(block)
}

#[launch_config(arch = "sm_80", registers = 40, spec = TWICE)]
fn twice() -> Result<(), ()> {
    launch!(module.a<<<grid, 64, 0, stream>>>(x))?;
    launch!(module.b<<<other, 64, 0, stream>>>(y))
}

fn main() -> Result<(), ()> {
    literal()?;
    constant()?;
    twice()?;
    assert_eq!(declared(128), Ok(128));
    assert_eq!((LITERAL.shape().block, LITERAL.shape().dynamic_smem), ([256, 1, 1], 1024));
    assert_eq!((CONSTANT.shape().block, CONSTANT.shape().dynamic_smem), ([16, 16, 1], 1024));
    assert_eq!((DECLARED.shape().block, DECLARED.shape().dynamic_smem), ([128, 1, 1], 512));
    assert_eq!(TWICE.shape().block, [64, 1, 1]);
    Ok(())
}

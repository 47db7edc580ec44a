//! The README's code that needs cust or cudarc, with stand-ins for what it takes from them.

macro_rules! launch {
    ($module:ident . $kernel:ident <<<$grid:expr, $block:expr, $smem:expr, $stream:ident>>>($($argument:expr),*)) => {{
        let _ = ($module, stringify!($kernel), $grid, $block, $smem, $stream, $(&$argument),*);
        unsafe { launched() }
    }};
}

use occ_runtime::launch_config;

#[launch_config(arch = ["sm_80", "sm_89"], min_occupancy = 0.5, registers = 32)]
fn saxpy(module: &Module, stream: &Stream, n: u32, x: DevicePointer<f32>, y: DevicePointer<f32>) -> CudaResult<()> {
    unsafe { launch!(module.saxpy<<<n.div_ceil(256), 256, 0, stream>>>(n, x, y)) }
}

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 32, spec = SCALE)]
fn scale(n: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (n.div_ceil(SCALE.shape().threads()), 1, 1),
        block_dim: SCALE.shape().block.into(),
        shared_mem_bytes: SCALE.shape().dynamic_smem,
    }
}

/// A launch made from the constant the attribute makes: without shared memory, as none is declared.
#[launch_config(arch = "sm_80", block = 128, registers = 32, spec = OWN)]
fn own_spec(module: &Module, stream: &Stream) -> CudaResult<()> {
    unsafe { launch!(module.own<<<1, OWN.shape().block, OWN.shape().dynamic_smem, stream>>>(0)) }
}

struct Module;
struct Stream;
struct DevicePointer<T>(T);
type CudaResult<T> = Result<T, ()>;

#[derive(Debug, PartialEq)]
struct LaunchConfig {
    grid_dim: (u32, u32, u32),
    block_dim: (u32, u32, u32),
    shared_mem_bytes: u32,
}

unsafe fn launched() -> CudaResult<()> {
    Ok(())
}

fn main() {
    saxpy(&Module, &Stream, 1000, DevicePointer(1.0), DevicePointer(2.0)).unwrap();
    own_spec(&Module, &Stream).unwrap();
    let expected = LaunchConfig { grid_dim: (4, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    assert_eq!(scale(1000), expected);
    assert_eq!(DevicePointer(1).0, 1);
}

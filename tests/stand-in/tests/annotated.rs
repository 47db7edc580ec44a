//! `launch!` in annotated functions, in the forms that cust programs write it, with cust's real code.

#![deny(warnings)]
#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use cuda_stand_in::{KernelModel, stand_in};
use cust::error::{CudaError, CudaResult};
use cust::function::{BlockSize, Function, GridSize};
use cust::memory::DeviceCopy;
use cust::module::Module;
use cust::prelude::{Context, Stream, StreamFlags};
use occ_runtime::launch_config;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    turn
}

struct Program {
    module: Module,
    stream: Stream,
    _context: Context,
}

/// A program whose kernels all have 32 registers.
fn program() -> Program {
    for kernel in ["k", "copy", "sum"] {
        // 256 threads fill a T4's SM four times, with 4 KiB of its 64 KiB too.
        stand_in().kernel("", kernel, KernelModel { answers: vec![([256, 1024], 4)], ..KernelModel::new(32) });
    }
    let context = cust::quick_init().unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    Program { module: Module::from_ptx("any", &[]).unwrap(), stream, _context: context }
}

const BLOCK: u32 = 256;
const TILE: usize = 16;

/// What was launched since the last time: block and shared memory.
fn launched() -> Vec<([u32; 3], u32)> {
    let launches = stand_in().launches().into_iter().map(|launch| (launch.block, launch.dynamic_smem)).collect();
    stand_in().count_anew();
    launches
}

mod forms {
    use super::*;
    use cust::launch;

    #[launch_config(arch = "sm_75", min_occupancy = 0.5, block = BLOCK, registers = 32)]
    pub fn named(module: &Module, stream: &Stream, block: u32) -> CudaResult<()> {
        unsafe { launch!(module.k<<<1, block, 0, stream>>>(1u32)) }
    }

    #[launch_config(arch = "sm_75")]
    pub fn from_the_launch(module: &Module, stream: &Stream) -> CudaResult<()> {
        unsafe { launch!(module.k<<<(2, 2), (TILE as u32, TILE as u32), 4 * BLOCK, stream>>>(1u32, 2.0f32,)) }
    }

    #[launch_config(arch = "sm_75", block = (16, 16), dynamic_smem = 1024)]
    pub fn a_function(function: &Function<'_>, stream: &Stream, grid: &GridSize, block: &BlockSize) -> CudaResult<()> {
        unsafe { launch!(function<<<grid, block, { 4 * BLOCK }, stream>>>(1u32)) }?;
        Ok(())
    }

    #[launch_config(arch = "sm_75", block = 256)]
    pub fn in_closures_and_blocks(module: &Module, stream: &Stream, blocks: &[u32]) -> CudaResult<Vec<()>> {
        let one = |block: u32| match block {
            0 => Ok(()),
            block => unsafe { launch!(module.k<<<if block > 1 { 2 } else { 1 }, block, 0, stream>>>()) },
        };
        blocks.iter().map(|block| one(*block)).collect()
    }

    #[launch_config(arch = "sm_75", block = 256)]
    pub fn in_an_inner_function(module: &Module, stream: &Stream, block: u32) -> CudaResult<()> {
        unsafe fn inner(module: &Module, stream: &Stream, block: u32) -> CudaResult<()> {
            unsafe { launch!(module.k<<<1, block, 0, stream>>>()) }
        }
        unsafe { inner(module, stream, block) }
    }

    #[launch_config(arch = "sm_75", block = 256, kernel = "copy")]
    #[launch_config(arch = "sm_75", block = 128, kernel = "sum")]
    pub fn two(module: &Module, stream: &Stream, copy: u32, sum: u32) -> CudaResult<()> {
        unsafe {
            launch!(module.copy<<<1, copy, 0, stream>>>())?;
            launch!(module.sum<<<1, sum, 0, stream>>>())
        }
    }

    #[launch_config(arch = "sm_75", block = 256)]
    #[launch_config(arch = "sm_75", block = 128)]
    pub fn either(function: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
        unsafe { launch!(function<<<1, block, 0, stream>>>()) }
    }

    #[launch_config(arch = "sm_75", block = N, instances(N = [64, 256]))]
    pub fn generic<const N: u32, T: DeviceCopy>(module: &Module, stream: &Stream, t: T, block: u32) -> CudaResult<()> {
        unsafe { launch!(module.k<<<1, block, 0, stream>>>(t)) }
    }

    #[launch_config(arch = "sm_75", block = 256)]
    pub fn shared(function: &Rc<Function<'_>>, stream: &Stream, block: u32) -> CudaResult<()> {
        unsafe { launch!(function<<<1, block, 0, stream>>>()) }
    }

    #[launch_config(arch = "sm_75", block = 256)]
    pub async fn asynchronous(module: &Module, stream: &Stream, block: u32) -> CudaResult<()> {
        std::future::ready(()).await;
        unsafe { launch!(module.k<<<1, block, 0, stream>>>()) }
    }
}

/// By its path, without an import.
#[launch_config(arch = "sm_75", block = 256)]
fn by_path(function: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    unsafe { ::cust::launch!(function<<<1, block, 0, stream>>>()) }
}

impl Program {
    const BLOCK: u32 = 256;

    /// Through paths, which cust's own macro does not take.
    #[launch_config(arch = "sm_75", block = Self::BLOCK)]
    fn method(&self, block: u32) -> Result<(), CudaError> {
        unsafe { occ_runtime::launch!(self.module.k<<<1, block, 0, self.stream>>>(1u32)) }
    }
}

#[test]
fn every_form_is_launched_and_guarded() {
    let _alone = alone();
    let program = program();
    let Program { module, stream, .. } = &program;
    let function = module.get_function("k").unwrap();
    let refused = Err(CudaError::InvalidValue);
    let one = |block: u32| vec![([block, 1, 1], 0)];

    assert_eq!((forms::named(module, stream, 256), launched()), (Ok(()), one(256)));
    assert_eq!((forms::named(module, stream, 128), launched()), (refused, vec![]));
    assert_eq!((forms::from_the_launch(module, stream), launched()), (Ok(()), vec![([16, 16, 1], 1024)]));
    let (grid, block) = (GridSize::xy(2, 2), BlockSize::xy(16, 16));
    assert_eq!((forms::a_function(&function, stream, &grid, &block), launched().len()), (Ok(()), 1));
    assert_eq!((forms::a_function(&function, stream, &grid, &256.into()), launched().len()), (refused, 0));
    assert_eq!(forms::in_closures_and_blocks(module, stream, &[0, 256, 0]).map(|all| all.len()), Ok(3));
    assert_eq!(launched(), one(256));
    assert!(forms::in_closures_and_blocks(module, stream, &[64]).is_err());
    assert_eq!((forms::in_an_inner_function(module, stream, 256), launched()), (Ok(()), one(256)));
    assert_eq!((forms::in_an_inner_function(module, stream, 32), launched()), (refused, vec![]));
    assert_eq!((forms::two(module, stream, 256, 128), launched().len()), (Ok(()), 2));
    assert_eq!((forms::two(module, stream, 256, 256), launched().len()), (refused, 1));
    assert_eq!((forms::two(module, stream, 128, 128), launched().len()), (refused, 0));
    for (block, result) in [(256, Ok(())), (128, Ok(())), (64, refused)] {
        assert_eq!(forms::either(&function, stream, block), result, "{block}");
    }
    launched();
    assert_eq!((forms::generic::<256, f32>(module, stream, 1.0, 256), launched()), (Ok(()), one(256)));
    assert_eq!((forms::generic::<64, u8>(module, stream, 1, 256), launched()), (refused, vec![]));
    let shared = Rc::new(module.get_function("k").unwrap());
    assert_eq!((forms::shared(&shared, stream, 256), launched()), (Ok(()), one(256)));
    assert_eq!((forms::shared(&shared, stream, 64), launched()), (refused, vec![]));
    assert_eq!((by_path(&function, stream, 256), launched()), (Ok(()), one(256)));
    assert_eq!((by_path(&function, stream, 512), launched()), (refused, vec![]));
    assert_eq!((program.method(256), launched()), (Ok(()), one(256)));
    assert_eq!((program.method(32), launched()), (refused, vec![]));
    assert_eq!((now(forms::asynchronous(module, stream, 256)), launched()), (Ok(()), one(256)));
    assert_eq!((now(forms::asynchronous(module, stream, 32)), launched()), (refused, vec![]));
}

/// The result of a future that waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

/// A kernel that is missing, and an error of the driver, are what they are without a guard.
#[test]
fn errors_of_the_driver_come_through() {
    let _alone = alone();
    let Program { module, stream, .. } = program();
    stand_in().fail("cuLaunchKernel", 700);
    assert_eq!(forms::named(&module, &stream, 256), Err(CudaError::IllegalAddress));
    stand_in().fail("cuLaunchKernel", 0);
    stand_in().fail("cuModuleGetFunction", 500);
    assert_eq!(forms::named(&module, &stream, 256), Err(CudaError::NotFound));
}

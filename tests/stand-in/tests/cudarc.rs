//! cudarc's real code on the shared library, and the guard for it.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod support;

use cuda_stand_in::{KernelModel, StandIn};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use occ_runtime::guard::{LaunchError, Mismatch};
use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::loaded as stand_in;

const SAXPY: LaunchSpec = LaunchSpec::new("saxpy", &[Arch::SM_75], Kernel::new().registers(22), Launch::new(256))
    .require(Requirement::new().min_occupancy(1.0));

fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    turn
}

fn program(image: &str, kernel: &str) -> (Arc<CudaStream>, CudaFunction) {
    let context = CudaContext::new(0).unwrap();
    let module = context.load_module(Ptx::from_src(image)).unwrap();
    (context.default_stream(), module.load_function(kernel).unwrap())
}

#[test]
fn a_cudarc_program_runs() {
    let _alone = alone();
    let (stream, function) = program("any", "saxpy");
    let x = stream.clone_htod(&[2.0f32; 1000]).unwrap();
    let mut y = stream.clone_htod(&[1.0f32; 1000]).unwrap();
    let (n, a) = (1000u32, 3.0f32);
    let mut builder = stream.launch_builder(&function);
    builder.arg(&n).arg(&a).arg(&x).arg(&mut y);
    let config = SAXPY.cudarc(4);
    assert_eq!((config.grid_dim, config.block_dim, config.shared_mem_bytes), ((4, 1, 1), (256, 1, 1), 0));
    unsafe { builder.launch(config) }.unwrap();
    let empty = LaunchConfig { grid_dim: (0, 1, 1), ..config };
    assert_eq!(unsafe { builder.launch(empty) }.unwrap_err().0 as i32, 1);
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [7.0; 1000]);
}

#[test]
fn guarded() {
    let _alone = alone();
    let (stream, function) = program("any", "saxpy");
    let x = stream.clone_htod(&[2.0f32; 1000]).unwrap();
    let mut y = stream.clone_htod(&[1.0f32; 1000]).unwrap();
    let (n, a) = (1000u32, 3.0f32);
    {
        let mut builder = SAXPY.launch_builder(&stream, &function);
        builder.arg(&n).arg(&a).arg(&x).arg(&mut y);
        unsafe { builder.launch(4) }.unwrap();
        assert!(matches!(unsafe { builder.launch((4, 65_536)) }, Err(LaunchError::Refused(_))));
    }
    let bound = SAXPY.bind_cudarc(&stream, &function).unwrap();
    let mut builder = bound.launch_builder(&stream);
    builder.arg(&n).arg(&a).arg(&x).arg(&mut y);
    let asked = |stand_in: &StandIn| {
        stand_in.calls("cuCtxGetDevice") + stand_in.calls("cuOccupancyMaxActiveBlocksPerMultiprocessor")
    };
    stand_in().count_anew();
    for _ in 0..10 {
        unsafe { builder.launch(4) }.unwrap();
    }
    assert_eq!((asked(stand_in()), stand_in().calls("cuLaunchKernel")), (0, 10));
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [67.0; 1000]);
}

#[test]
fn refused() {
    let _alone = alone();
    stand_in().kernel("fat", "saxpy", KernelModel::new(168));
    let (stream, function) = program("stand-in fat", "saxpy");
    let mut builder = SAXPY.launch_builder(&stream, &function);
    let error = unsafe { builder.launch(4) }.unwrap_err();
    assert!(matches!(error.mismatch(), Some(Mismatch::Occupancy { blocks_per_sm: 1, .. })), "{error}");
    assert_eq!(stand_in().calls("cuLaunchKernel"), 0);
    let report = SAXPY.report_cudarc(&stream, &function).unwrap();
    assert_eq!(report.function.registers, 168);
}

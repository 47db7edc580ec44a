//! cust's real code on the double, and the guard in every form a cust program launches in.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use cuda_stand_in::{DeviceModel, KernelModel, stand_in};
use cust::error::CudaError;
use cust::prelude::*;
use occ_runtime::cust::LaunchAs;
use occ_runtime::guard::{LaunchError, Mismatch};
use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The double is one for the process: tests take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    turn
}

const SAXPY: LaunchSpec = LaunchSpec::new("saxpy", &[Arch::SM_75], Kernel::new().registers(22), Launch::new(256))
    .require(Requirement::new().min_occupancy(1.0));

struct Program {
    module: Module,
    stream: Stream,
    x: DeviceBuffer<f32>,
    y: DeviceBuffer<f32>,
    _context: Context,
}

impl Program {
    fn new() -> Program {
        Self::on(0)
    }

    /// On a device by its ordinal, which stays the same device for as long as the process runs.
    fn on(ordinal: u32) -> Program {
        cust::init(CudaFlags::empty()).unwrap();
        let context = Context::new(Device::get_device(ordinal).unwrap()).unwrap();
        Program {
            module: Module::from_ptx("any", &[]).unwrap(),
            stream: Stream::new(StreamFlags::DEFAULT, None).unwrap(),
            x: [2.0f32; 1000].as_slice().as_dbuf().unwrap(),
            y: [1.0f32; 1000].as_slice().as_dbuf().unwrap(),
            _context: context,
        }
    }

    fn sums(&self) -> f32 {
        let y = self.y.as_host_vec().unwrap();
        assert!(y.iter().all(|value| *value == y[0]));
        y[0]
    }
}

/// Calls `body` with what saxpy takes.
fn with_arguments<R>(program: &Program, body: impl FnOnce(&[*mut c_void]) -> R) -> R {
    let (n, a) = (1000u32, 3.0f32);
    let (x, y) = (program.x.as_device_ptr(), program.y.as_device_ptr());
    body(&[
        (&raw const n).cast_mut().cast(),
        (&raw const a).cast_mut().cast(),
        (&raw const x).cast_mut().cast(),
        (&raw const y).cast_mut().cast(),
    ])
}

#[test]
fn a_cust_program_runs() {
    let _alone = alone();
    let program = Program::new();
    let Program { module, stream, x, y, .. } = &program;
    let (n, a, x, y) = (1000u32, 3.0f32, x.as_device_ptr(), y.as_device_ptr());
    unsafe { launch!(module.saxpy<<<4, 256, 0, stream>>>(n, a, x, y)) }.unwrap();
    stream.synchronize().unwrap();
    assert_eq!(program.sums(), 7.0);
    let refused = unsafe { launch!(module.saxpy<<<0, 256, 0, stream>>>(n, a, x, y)) };
    assert_eq!(refused, Err(CudaError::InvalidValue));
    assert!(module.get_function("sgemm").is_err());
}

#[test]
fn launched_from_a_spec() {
    let _alone = alone();
    let program = Program::new();
    let function = program.module.get_function("saxpy").unwrap();
    let launch = |grid: u32| {
        with_arguments(&program, |arguments| unsafe { SAXPY.launch(&program.stream, &function, grid, arguments) })
    };
    stand_in().count_anew();
    launch(4).unwrap();
    assert!(stand_in().all_calls() <= 40, "{}", stand_in().all_calls());
    stand_in().count_anew();
    launch(4).unwrap();
    assert_eq!(stand_in().all_calls(), 4, "the device, the blocks per SM, the registers, and the launch");
    assert_eq!(program.sums(), 13.0);
    let error = launch(0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`saxpy` on Tesla T4 (sm_75): this launch cannot run: axis x of the grid is 0 \
         (`CUDA_ERROR_INVALID_VALUE`, 1)\n  = help: skip the launch when there is no work; an empty grid \
         is an error"
    );
}

#[test]
fn bound_launches_ask_the_driver_nothing() {
    let _alone = alone();
    let program = Program::new();
    let function = program.module.get_function("saxpy").unwrap();
    let saxpy = SAXPY.bind(&function).unwrap();
    stand_in().count_anew();
    for _ in 0..10 {
        with_arguments(&program, |arguments| unsafe { saxpy.launch(&program.stream, 4, arguments) }).unwrap();
    }
    assert_eq!((stand_in().all_calls(), stand_in().calls("cuLaunchKernel")), (10, 10));
    assert_eq!(program.sums(), 61.0);
    assert!(matches!(
        with_arguments(&program, |arguments| unsafe { saxpy.launch(&program.stream, (1, 65_536), arguments) }),
        Err(LaunchError::Refused(_))
    ));
    assert_eq!(stand_in().calls("cuLaunchKernel"), 10);
}

#[test]
fn a_drop_in_for_stream_launch() {
    let _alone = alone();
    let program = Program::new();
    let function = program.module.get_function("saxpy").unwrap();
    let launch = |block: u32, smem: u32| {
        with_arguments(&program, |arguments| unsafe {
            program.stream.launch_as(&SAXPY, &function, 4, block, smem, arguments)
        })
    };
    launch(256, 0).unwrap();
    assert_eq!(program.sums(), 7.0);
    assert_eq!(launch(128, 0), Err(CudaError::InvalidValue));
    assert_eq!(launch(256, 16), Err(CudaError::InvalidValue));
    assert_eq!(stand_in().calls("cuLaunchKernel"), 1);
}

/// Where a program keeps what it launches with.
struct Launcher<'p> {
    program: &'p Program,
    streams: [&'p Stream; 1],
}

impl Launcher<'_> {
    fn program(&self) -> &Program {
        self.program
    }
}

#[test]
fn launch_takes_paths() {
    let _alone = alone();
    let program = Program::new();
    let launcher = Launcher { program: &program, streams: [&program.stream] };
    let (n, a, x, y) = (1000u32, 3.0f32, program.x.as_device_ptr(), program.y.as_device_ptr());
    unsafe {
        occ_runtime::launch!(program.module.saxpy<<<4, 256, 0, program.stream>>>(n, a, x, y)).unwrap();
        occ_runtime::launch!(launcher.program.module.saxpy<<<(4, 1), (256, 1, 1), 0, launcher.streams[0]>>>(n, a, x, y,)).unwrap();
        occ_runtime::launch!(launcher.program().module.saxpy<<<4, 256, 0, launcher.program().stream>>>(n, a, x, y))
            .unwrap();
        let function = program.module.get_function("saxpy").unwrap();
        let stream = &program.stream;
        occ_runtime::launch!(function<<<4, 256, 0, stream>>>(n, a, x, y)).unwrap();
    }
    assert_eq!(program.sums(), 25.0);
}

/// A module is unloaded, and the next one's function gets its handle: what was checked of the first is nothing to it.
#[test]
fn a_reloaded_module_is_checked_anew() {
    let _alone = alone();
    stand_in().kernel("lean", "reduce", KernelModel::new(32));
    stand_in().kernel("fat", "reduce", KernelModel::new(168));
    let program = Program::new();
    let spec = LaunchSpec::new("reduce", &[Arch::SM_75], Kernel::new().registers(32), Launch::new(256))
        .require(Requirement::new().min_occupancy(0.5));
    let mut handles = Vec::new();
    for round in 0..3 {
        for (image, passes) in [("stand-in lean", true), ("stand-in fat", false)] {
            let module = Module::from_ptx(image, &[]).unwrap();
            let function = module.get_function("reduce").unwrap();
            handles.push(function.to_raw());
            let result = unsafe { spec.launch(&program.stream, &function, 1, &[]) };
            assert_eq!(result.is_ok(), passes, "{image}, {round}: {result:?}");
        }
    }
    assert!(handles.windows(2).all(|pair| pair[0] == pair[1]), "the double gives handles again");
}

#[test]
fn the_t4_ladder() {
    let _alone = alone();
    stand_in().kernel("", "ladder", KernelModel::t4_ladder());
    let program = Program::new();
    let function = program.module.get_function("ladder").unwrap();
    for (smem, blocks) in [(0, 4), (21_760, 3), (32_768, 2), (49_152, 1)] {
        let launch = Launch::new(256).dynamic_smem(smem);
        let spec = LaunchSpec::new("ladder", &[Arch::SM_75], Kernel::new().registers(32), launch);
        let report = spec.report(&function).unwrap();
        assert_eq!((report.blocks_per_sm, report.occupancy()), (blocks, f64::from(blocks) / 4.0));
        assert!(report.findings.is_empty(), "{report}");
        // Half of them is too much to ask of the others.
        let half = spec.require(Requirement::new().min_occupancy(0.25 * f64::from(blocks)));
        unsafe { half.launch(&program.stream, &function, 40, &[]) }.unwrap();
    }
    assert!(stand_in().unrecorded().is_empty(), "{:?}", stand_in().unrecorded());
}

#[test]
fn clusters_are_passed() {
    let _alone = alone();
    let mut h100 = DeviceModel::h100();
    h100.active_clusters.insert(2, 66);
    stand_in().devices([DeviceModel::tesla_t4(), h100]);
    stand_in().kernel("", "reduce", KernelModel::new(32));
    let program = Program::on(1);
    let function = program.module.get_function("reduce").unwrap();
    let launch = Launch::new(256).cluster([2, 1, 1]);
    let spec = LaunchSpec::new("reduce", &[Arch::SM_90], Kernel::new().registers(32), launch);
    unsafe { spec.launch(&program.stream, &function, 4, &[]) }.unwrap();
    assert_eq!(stand_in().launches().last().unwrap().cluster, Some([2, 1, 1]));
    let bound = spec.bind(&function).unwrap();
    stand_in().count_anew();
    unsafe { bound.launch(&program.stream, 8, &[]) }.unwrap();
    assert_eq!((stand_in().all_calls(), stand_in().calls("cuLaunchKernelEx")), (1, 1));
    let error = unsafe { spec.launch(&program.stream, &function, 5, &[]) }.unwrap_err();
    assert!(matches!(error.mismatch(), Some(Mismatch::CannotRun { .. })), "{error}");
    // `cuLaunchKernel` takes no cluster.
    let plain = unsafe { program.stream.launch_as(&spec, &function, 4, 256, 0, &[]) };
    assert_eq!(plain, Err(CudaError::UnknownError));
}

#[test]
fn the_opt_in_is_raised_and_never_lowered() {
    let _alone = alone();
    stand_in().devices([DeviceModel::tesla_t4(), DeviceModel::h100()]);
    stand_in().kernel(
        "",
        "tiles",
        KernelModel { answers: vec![([256, 100 << 10], 2), ([256, 64 << 10], 3)], ..KernelModel::new(32) },
    );
    let program = Program::on(1);
    let function = program.module.get_function("tiles").unwrap();
    for kib in [100, 64] {
        let spec = LaunchSpec::new(
            "tiles",
            &[Arch::SM_90],
            Kernel::new().registers(32),
            Launch::new(256).dynamic_smem(kib << 10),
        );
        unsafe { spec.launch(&program.stream, &function, 1, &[]) }.unwrap();
    }
    assert_eq!(stand_in().raised(), [100 << 10]);
}

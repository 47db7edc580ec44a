//! The guard through the driver's C functions: their results as errors, handles of unloaded modules, functions that an older
//! driver lacks. What the guard makes of the answers is proved in `occ-runtime/tests/guard`.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use cuda_stand_in::{DeviceModel, KernelModel, stand_in};
use cust::context::CurrentContext;
use cust::prelude::*;
use occ_runtime::driver::{Cuda, DriverError, Function};
use occ_runtime::guard::{Guard, LaunchError, Launched};
use occ_runtime::{Arch, Carveout, Kernel, Launch, LaunchSpec, OnMismatch, Requirement};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the double, which is one for the process, and gives it these devices. The first is current.
fn with_devices(devices: impl IntoIterator<Item = DeviceModel>) -> (Context, MutexGuard<'static, ()>) {
    static DOUBLE: Mutex<()> = Mutex::new(());
    let lock = DOUBLE.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    stand_in().devices(devices);
    (cust::quick_init().unwrap(), lock)
}

/// Loads such a kernel as a function whose module stays loaded.
fn function(model: KernelModel) -> Function {
    stand_in().kernel("", "k", model);
    let module = Module::from_ptx("any", &[]).unwrap();
    let handle = module.get_function("k").unwrap().to_raw();
    std::mem::forget(module);
    // SAFETY: the module is never unloaded.
    unsafe { Function::from_raw(handle) }
}

fn guard() -> Guard<Cuda> {
    Guard::new(Cuda::linked())
}

fn h100() -> DeviceModel {
    let mut device = DeviceModel::h100();
    device.active_clusters.insert(16, 8);
    device
}

/// A launch that raises every attribute and makes every call.
fn demanding() -> LaunchSpec {
    let launch = Launch::new(256).dynamic_smem(100 << 10).cluster([16, 1, 1]).carveout(Carveout::Percent(100));
    LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), launch)
}

fn demanding_kernel() -> KernelModel {
    KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) }
}

fn admit(guard: &Guard<Cuda>, spec: &LaunchSpec, function: Function) -> Result<(), LaunchError> {
    guard.admit(spec, function, &Launched::of(spec, spec.shape().cluster.unwrap_or([1; 3])))
}

const CALLS: [&str; 7] = [
    "cuCtxGetDevice",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveClusters",
];

/// Codes that no enum of a binding knows, too.
#[test]
fn every_call_with_any_code() {
    let _lock = with_devices([h100()]);
    let spec = demanding();
    for call in CALLS {
        for code in [2, 201, 225, 700, 999, 100_000, -1, i32::MIN] {
            let (guard, k) = (guard(), function(demanding_kernel()));
            stand_in().fail(call, code);
            let error = admit(&guard, &spec, k).unwrap_err();
            let LaunchError::Driver { kernel: "k", error: DriverError { call: failed, code: with } } = error else {
                panic!("{call}, {code}: {error}")
            };
            assert_eq!((failed, with), (call, code));
            assert!(admit(&guard, &spec.on_mismatch(OnMismatch::Warn), k).is_ok(), "{call}, {code}");
            stand_in().fail(call, 0);
            assert!(admit(&guard, &spec, k).is_ok(), "{call}, {code}: a failure is no verdict");
        }
    }
}

#[test]
fn few_calls_and_then_none() {
    let _lock = with_devices([h100()]);
    let (guard, k, spec) = (guard(), function(demanding_kernel()), demanding());
    stand_in().count_anew();
    let bound = guard.bind(&spec, k, true).unwrap();
    // It is the most calls that a first check can make.
    assert!(stand_in().all_calls() <= 40, "{}", stand_in().all_calls());
    assert_eq!(stand_in().raised(), [100 << 10]);
    stand_in().count_anew();
    for _ in 0..100 {
        bound.admit([16, 1, 1]).unwrap();
    }
    assert_eq!(stand_in().all_calls(), 0);
    admit(&guard, &spec, k).unwrap();
    assert_eq!(stand_in().all_calls(), 3);
}

#[test]
fn what_the_driver_answers() {
    let _lock = with_devices([h100()]);
    let report = |guard: Guard<Cuda>| guard.report(&demanding(), function(demanding_kernel())).unwrap();
    let new = report(guard());
    assert_eq!(new.findings, []);
    assert_eq!((&*new.device.name, new.device.sm_count, new.device.capability), ("NVIDIA H100 80GB HBM3", 132, [9, 0]));
    assert_eq!((new.blocks_per_sm, new.active_clusters), (2, Some(8)));
    assert_eq!(new.prepared.set_carveout, Some(100));
    assert!(new.prepared.allowed_non_portable_clusters);
    // An older driver lacks the function.
    stand_in().forget("cuOccupancyMaxActiveClusters");
    let old = report(guard());
    assert_eq!((old.findings, old.active_clusters), (vec![], None));
}

/// A module is unloaded, and another function gets its handle, on this device or another.
#[test]
fn a_handle_of_another_function() {
    let (context, _lock) = with_devices([DeviceModel::a100(), DeviceModel::tesla_t4()]);
    stand_in().kernel("lean", "k", KernelModel::new(40));
    stand_in().kernel("fat", "k", KernelModel::new(168));
    let other = Context::new(Device::get_device(1).unwrap()).unwrap();
    let guard = guard();
    let spec = LaunchSpec::new("k", &[Arch::SM_80, Arch::SM_75], Kernel::new().registers(40), Launch::new(256))
        .require(Requirement::new().min_occupancy(0.5));
    let mut handles = std::collections::HashSet::new();
    for round in 0..200 {
        let (image, passes) = if round % 3 == 0 { ("stand-in fat", false) } else { ("stand-in lean", true) };
        CurrentContext::set_current(if round % 2 == 0 { &other } else { &context }).unwrap();
        let module = Module::from_ptx(image, &[]).unwrap();
        let function = module.get_function("k").unwrap();
        handles.insert(function.to_raw());
        // SAFETY: the module is loaded until the end of the round.
        let k = unsafe { Function::from_raw(function.to_raw()) };
        assert_eq!(admit(&guard, &spec, k).is_ok(), passes, "{image}, {round}");
        assert_eq!(admit(&guard, &spec, k).is_ok(), passes, "{image}, {round}, again");
    }
    assert_eq!(handles.len(), 1, "the double gives handles again");
}

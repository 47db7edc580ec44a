//! The guard against the double, through the driver's C functions: every comparison, in every mode, from many threads, with
//! every call failing.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod comparisons;
mod failures;
mod first_check;
mod header;
mod launches;
mod modes;
mod readings;
mod report;

use cuda_stand_in::{DeviceModel, KernelModel, stand_in};
use cust::prelude::*;
use occ_runtime::driver::{Cuda, Function};
use occ_runtime::guard::{Guard, LaunchError, Launched, Mismatch, Report, Severity};
use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The double is one for the process: tests take turns.
struct Turn {
    context: Context,
    _turn: MutexGuard<'static, ()>,
}

/// A turn with these devices; the first is current.
fn with_devices(devices: impl IntoIterator<Item = DeviceModel>) -> Turn {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    stand_in().devices(devices);
    let context = cust::quick_init().unwrap();
    Turn { context, _turn: turn }
}

/// A loaded function that is such a kernel. Its module stays loaded.
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

/// A spec of blocks of 256 threads.
fn spec(archs: &'static [Arch], kernel: Kernel) -> LaunchSpec {
    LaunchSpec::new("k", archs, kernel, Launch::new(256))
}

fn half() -> Requirement {
    Requirement::new().min_occupancy(0.5)
}

/// One launch of one block, as the spec has it.
fn admit(guard: &Guard<Cuda>, spec: &LaunchSpec, function: Function) -> Result<(), LaunchError> {
    guard.admit(spec, function, &Launched::of(spec, [1, 1, 1]))
}

/// The differences of a report.
fn found(report: &Report) -> Vec<(Severity, &Mismatch)> {
    report.findings.iter().map(|finding| (finding.severity, &finding.mismatch)).collect()
}

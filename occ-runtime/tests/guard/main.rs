//! The guard against a driver in plain Rust, which answers from what was recorded: every comparison in every mode, every
//! call failing, every kind of nonsensical answer, many threads. What only the driver's C functions can show is in the
//! tests of the stand-in.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]
#![allow(missing_docs, reason = "a test has no readers of its documentation")]

mod allocations;
mod cases;
mod compared;
mod failures;
mod golden;
mod grids;
mod hostile;
mod logged;
mod modes;
mod once;
mod optin;
mod properties;
mod readings;
mod recorded;
mod reload;
mod report;

use occ_runtime::driver::Function;
use occ_runtime::guard::{Guard, LaunchError, Launched};
use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
use recorded::{DeviceDouble, FunctionDouble, Recorded};

const SM_75: &[Arch] = &[Arch::SM_75];
const SM_80: &[Arch] = &[Arch::SM_80];
const SM_86: &[Arch] = &[Arch::SM_86];
const SM_90: &[Arch] = &[Arch::SM_90];

const A100: &str = "A100 SXM4 80 GB";
const H100: &str = "H100 SXM5 80 GB";
const RTX_3090: &str = "GeForce RTX 3090";
const T4: &str = "Tesla T4";

/// Blocks of 256 threads of a kernel with 40 registers, for 8.0, where half of the warps are required. The header holds
/// 6 of them.
const HALF: LaunchSpec = LaunchSpec::new("k", SM_80, Kernel::new().registers(40), Launch::new(256))
    .require(Requirement::new().min_occupancy(0.5));

fn device(name: &str) -> DeviceDouble {
    DeviceDouble::named(name)
}

/// A guard of a driver with one device, and a function loaded there.
fn guard_of(device: DeviceDouble, function: FunctionDouble) -> (Guard<Recorded>, Function) {
    let driver = Recorded::new([device]);
    let function = driver.load(0, 0x1000, function);
    (Guard::new(driver), function)
}

/// A launch of one block, as the spec has it.
fn admit(guard: &Guard<Recorded>, spec: &LaunchSpec, function: Function) -> Result<(), LaunchError> {
    let cluster = spec.shape().cluster.unwrap_or([1; 3]);
    guard.admit(spec, function, &Launched::of(spec, cluster))
}

/// So many times, and fewer under miri.
fn times(many: usize) -> usize {
    if cfg!(miri) { (many / 100).clamp(2, 8) } else { many }
}

pub(crate) fn with_cluster(mut launch: Launch, cluster: Option<[u32; 3]>) -> Launch {
    launch.cluster = cluster;
    launch
}

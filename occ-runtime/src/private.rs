//! What the expansion of `#[launch_config]` is made of. Not for use by hand: it changes without notice.

pub use occ_core::{Arch, Carveout, Gpu, Requirement};
use occ_core::{Check, Kernel, Launch, Rule, Verdict};

use crate::spec::{LaunchSpec, OnMismatch};

/// A launch held against what it must reach.
pub const fn check<'a>(
    archs: &'a [Arch],
    gpus: &'a [&'a Gpu],
    kernel: Kernel,
    registers_are_cap: bool,
    launch: Launch,
    requirement: Requirement,
    notes: &'a [&'a str],
) -> Check<'a> {
    Check { archs, gpus, kernel, registers_are_cap, launch, requirement, notes }
}

/// The resources of a kernel.
pub const fn kernel(registers: Option<u32>, static_smem: u32, barriers: u32) -> Kernel {
    Kernel { registers, static_smem, barriers, ..Kernel::new() }
}

/// The shape of a launch.
pub const fn launch(
    block: [u32; 3],
    dynamic_smem: u32,
    carveout: Carveout,
    cluster: Option<[u32; 3]>,
    grid: Option<[u32; 3]>,
) -> Launch {
    Launch { dynamic_smem, carveout, cluster, grid, ..Launch::block(block) }
}

/// A carve-out in percent; more than 100 is a build error.
#[track_caller]
pub const fn carveout(percent: u32) -> Carveout {
    assert!(percent <= 100, "`carveout` must be a percentage from 0 to 100");
    Carveout::Percent(percent as u8)
}

/// The GPU of that name, which the attribute has found before.
pub const fn gpu(name: &str) -> &'static Gpu {
    match Gpu::find(name) {
        Ok(gpu) => gpu,
        Err(_) => panic!("occ-macros and occ-runtime are of different versions"),
    }
}

/// The argument to point at if the launch breaks a rule, by number; 255 if it does not.
pub const fn blame(check: &Check<'_>, rule: u8) -> u8 {
    match check.verdict(Rule::ALL[rule as usize]) {
        Verdict::Passes => 255,
        Verdict::Fails { limiting, .. } => limiting as u8,
    }
}

/// Ends a constant's evaluation with the explanation.
#[track_caller]
pub const fn fail(check: &Check<'_>, rule: u8) -> ! {
    check.fail(Rule::ALL[rule as usize])
}

/// The spec of a checked launch.
#[allow(clippy::too_many_arguments)]
pub const fn spec(
    name: &'static str,
    archs: &'static [Arch],
    gpus: &'static [&'static Gpu],
    kernel: Kernel,
    registers_are_cap: bool,
    launch: Launch,
    requirement: Requirement,
    on_mismatch: OnMismatch,
) -> LaunchSpec {
    let check = Check { archs, gpus, kernel, registers_are_cap, launch, requirement, notes: &[] };
    LaunchSpec::from_check(name, check, on_mismatch)
}

/// Stands in where a launch was wrong and has been reported.
pub const fn unchecked_spec(name: &'static str) -> LaunchSpec {
    LaunchSpec::new(name, &[], Kernel::new(), Launch::new(1))
}

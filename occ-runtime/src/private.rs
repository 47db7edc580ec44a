//! What the expansion of `#[launch_config]` calls. Not for use by hand: it changes without notice.

pub use occ_core::{Arch, Carveout, Ceilings, Compiled, Gpu, LaunchBounds, Requirement, Rule};
use occ_core::{Check, Kernel, Launch, Verdict};

use crate::spec::{LaunchSpec, OnMismatch};

/// What the expansion of `launch!` calls.
#[cfg(feature = "cust")]
pub mod cust {
    pub use crate::cust::{Launchable, guard_site as guard};
    use ::cust::function::{BlockSize, GridSize};
    pub use ::cust::launch;

    /// Converts a grid from any of cust's forms.
    pub fn grid(grid: impl Into<GridSize>) -> GridSize {
        grid.into()
    }

    /// Returns the dynamic shared memory, in bytes: it fixes the type of the expression.
    pub fn shared(bytes: u32) -> u32 {
        bytes
    }

    /// Converts a block from any of cust's forms.
    pub fn block(block: impl Into<BlockSize>) -> BlockSize {
        block.into()
    }
}

/// Returns the check of a launch; its capabilities are given to [`check_rule`].
pub const fn check(
    gpus: &'static [&'static Gpu],
    kernel: Kernel,
    registers_are_cap: bool,
    launch: Launch,
    requirement: Requirement,
    notes: &'static [&'static str],
) -> Check<'static> {
    Check { gpus, kernel, registers_are_cap, launch, requirement, notes, ..Check::new() }
}

/// Returns the same check for kernels that were read from artifacts.
pub const fn of_compiled(
    check: Check<'static>,
    compiled: &'static [Compiled<'static>],
    ceilings: Ceilings,
) -> Check<'static> {
    Check { compiled, ceilings, ..check }
}

/// Returns the resources of a compiled kernel: registers, static shared memory, barriers, virtual resources.
pub const fn compiled_kernel(
    registers: Option<u32>,
    [static_smem, barriers, virtual_resources]: [u32; 3],
    max_threads: Option<u32>,
    bounds: Option<LaunchBounds>,
) -> Kernel {
    let mut kernel = kernel(registers, static_smem, barriers);
    kernel.virtual_resources = virtual_resources;
    kernel.max_threads = max_threads;
    kernel.bounds = bounds;
    kernel
}

/// Returns the resources of a kernel.
pub const fn kernel(registers: Option<u32>, static_smem: u32, barriers: u32) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.registers = registers;
    kernel.static_smem = static_smem;
    kernel.barriers = barriers;
    kernel
}

/// Returns the shape of a launch.
pub const fn launch(
    block: [u32; 3],
    dynamic_smem: u32,
    carveout: Carveout,
    cluster: Option<[u32; 3]>,
    grid: Option<[u32; 3]>,
) -> Launch {
    let mut launch = Launch::block(block);
    launch.dynamic_smem = dynamic_smem;
    launch.carveout = carveout;
    launch.cluster = cluster;
    launch.grid = grid;
    launch
}

/// Returns a carve-out in percent; the check reports one above 100.
pub const fn carveout(percent: u32) -> Carveout {
    Carveout::Percent(if percent > u8::MAX as u32 { u8::MAX } else { percent as u8 })
}

/// Returns the GPU at an index of the table, which needs no search for its name.
pub const fn gpu(index: usize) -> &'static Gpu {
    &Gpu::ALL[index]
}

/// The result of checking a rule, on its way through the arguments that an error can point at.
///
/// A call has one span, so each argument has a call: `finish(fail_at(11, fail_at(9, check_launch(..))))`.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant)]
pub enum CheckResult {
    /// The launch passes.
    Passes,
    /// It does not.
    Fails {
        /// The launch.
        check: Check<'static>,
        /// Its capabilities, which replace those of the check: bit *n* is `Arch::ALL[n]`.
        archs: u32,
        /// The rule it breaks.
        rule: Rule,
        /// The number of the argument to point at.
        limiting: u8,
    },
}

/// Checks a launch without any preference against a minimum occupancy (0.0 for none).
///
/// `resources` are dynamic and static shared memory, registers and barriers. `declared` says what the registers are: 0
/// not declared, 1 the number, 2 a cap.
pub const fn check_launch(
    archs: u32,
    block: [u32; 3],
    resources: [u32; 4],
    declared: u8,
    min_occupancy: f64,
) -> CheckResult {
    let is_sound = declared == 0 || resources[2] != 0;
    if is_sound && occ_core::internal::certainly_reaches(archs, block, resources, min_occupancy) {
        return CheckResult::Passes;
    }
    let [dynamic_smem, static_smem, registers, barriers] = resources;
    let kernel = kernel(if declared == 0 { None } else { Some(registers) }, static_smem, barriers);
    let check = Check {
        kernel,
        registers_are_cap: declared == 2,
        launch: Launch::block(block).dynamic_smem(dynamic_smem),
        requirement: Requirement::new().min_occupancy(min_occupancy),
        ..Check::new()
    };
    check_rule(Rule::Launch, archs, check)
}

/// Checks any launch against one rule.
pub const fn check_rule(rule: Rule, archs: u32, check: Check<'static>) -> CheckResult {
    let (list, count) = listed(archs);
    let (list, _) = list.split_at(count);
    match (Check { archs: list, ..check }).verdict(rule) {
        Verdict::Passes => CheckResult::Passes,
        Verdict::Fails { limiting, .. } => CheckResult::Fails { check, archs, rule, limiting: limiting as u8 },
    }
}

/// Fails the evaluation at this call if `argument` is the one to point at.
#[track_caller]
pub const fn fail_at(argument: u8, result: CheckResult) -> CheckResult {
    if let CheckResult::Fails { limiting, .. } = result
        && limiting == argument
    {
        finish(result);
    }
    result
}

/// Fails the evaluation at this call if the launch breaks the rule.
#[track_caller]
pub const fn finish(result: CheckResult) {
    if let CheckResult::Fails { check, archs, rule, .. } = result {
        let (list, count) = listed(archs);
        let (list, _) = list.split_at(count);
        Check { archs: list, ..check }.fail(rule)
    }
}

/// Returns the capabilities of a set, and their count.
const fn listed(archs: u32) -> ([Arch; Arch::COUNT], usize) {
    let mut list = Arch::ALL;
    let mut count = 0;
    let mut at = 0;
    while at < Arch::COUNT {
        if archs >> at & 1 == 1 {
            list[count] = Arch::ALL[at];
            count += 1;
        }
        at += 1;
    }
    (list, count)
}

/// Returns the spec of a checked launch.
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
    let check = Check { archs, gpus, kernel, registers_are_cap, launch, requirement, ..Check::new() };
    LaunchSpec::from_check(name, check, on_mismatch)
}

/// Returns the spec of a checked launch whose kernels were read from artifacts.
pub const fn spec_of_compiled(
    spec: LaunchSpec,
    compiled: &'static [Compiled<'static>],
    ceilings: Ceilings,
) -> LaunchSpec {
    LaunchSpec::from_check(spec.name(), of_compiled(*spec.check(), compiled, ceilings), spec.mismatch())
}

/// Checks a spec here too: where its values may mean something else than in the function's body.
#[track_caller]
pub const fn checked(spec: LaunchSpec) -> LaunchSpec {
    spec.checked()
}

/// Stands in where a launch was wrong and has been reported.
pub const fn unchecked_spec(name: &'static str) -> LaunchSpec {
    LaunchSpec::from_check(name, Check::new(), OnMismatch::Error)
}

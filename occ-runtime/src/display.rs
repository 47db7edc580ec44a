//! The text of a spec: what was checked, and why it passes.

use crate::spec::LaunchSpec;
use core::fmt::{Display, Formatter, Result};
use occ_core::internal::{BY_RESOURCE, Value};
use occ_core::{Arch, Check, Gpu, Occupancy, Step, steps};

/// Writes what was checked, and why it passes. The alternate form `{:#}` adds the next step of each resource.
///
/// ```
/// use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
///
/// const SPEC: LaunchSpec = LaunchSpec::new("saxpy", &[Arch::SM_86], Kernel::new().registers(42), Launch::new(256))
///     .require(Requirement::new().min_occupancy(0.5));
/// assert_eq!(
///     format!("{SPEC:#}"),
///     "saxpy: blocks of 256 threads, 42 registers per thread
///   required: occupancy 50%
///   sm_86: occupancy 83.3%, 5 blocks per SM, 40 of 48 warps, limited by registers
///     blocks per SM by resource: registers 5, shared memory 100, warps 6, blocks 16
///     next step: with at most 40 registers per thread, 6 blocks per SM
///     room: 6 more registers per thread, 19456 more bytes of shared memory"
/// );
/// ```
impl Display for LaunchSpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let check = self.check();
        declared(f, self)?;
        write!(f, "\n  required: {}", check.requirement)?;
        for arch in check.archs {
            write!(f, "\n  {arch}: ")?;
            match self.occupancy_on(*arch) {
                Ok(answer) => {
                    reached(f, &answer)?;
                    if let Some(compiled) = check.compiled_for(*arch) {
                        write!(f, "\n    {compiled}")?;
                    }
                    if f.alternate() {
                        next_steps(f, check, *arch, &answer)?;
                    }
                }
                Err(refusal) => write!(f, "cannot run: {refusal}")?,
            }
        }
        for gpu in check.gpus {
            waves(f, check, gpu)?;
        }
        Ok(())
    }
}

fn declared(f: &mut Formatter<'_>, spec: &LaunchSpec) -> Result {
    let Check { kernel, launch, registers_are_cap, .. } = spec.check();
    write!(f, "{}: blocks of ", spec.name())?;
    match launch.block {
        [_, 1, 1] => {}
        [x, y, 1] => write!(f, "{x} × {y} = ")?,
        [x, y, z] => write!(f, "{x} × {y} × {z} = ")?,
    }
    write!(f, "{}", Value::Count(launch.threads().into(), "thread"))?;
    for (bytes, kind) in [(kernel.static_smem, "static"), (launch.dynamic_smem, "dynamic")] {
        if bytes > 0 {
            write!(f, ", {bytes} bytes of {kind} shared memory")?;
        }
    }
    if !spec.check().compiled.is_empty() {
        return Ok(());
    }
    match (kernel.registers, spec.register_budget()) {
        (Some(registers), _) if *registers_are_cap => write!(f, ", at most {registers} registers per thread"),
        (Some(registers), _) => write!(f, ", {registers} registers per thread"),
        (None, Some(budget)) => write!(f, ", registers not declared: at most {budget} per thread will do"),
        (None, None) => Ok(()),
    }
}

fn reached(f: &mut Formatter<'_>, answer: &Occupancy) -> Result {
    let blocks = answer.blocks_per_sm;
    write!(f, "occupancy {}, {} per SM, ", Value::Percent(answer.fraction()), Value::Count(blocks.into(), "block"))?;
    let limits = &answer.limits;
    write!(f, "{} of {} warps", answer.warps_per_sm(), answer.max_warps_per_sm)?;
    write!(f, ", limited by {}", Value::Limiters(limits))?;
    write!(f, "\n    {}", BY_RESOURCE.with([Value::Limits(limits)]))
}

fn next_steps(f: &mut Formatter<'_>, check: &Check<'_>, arch: Arch, answer: &Occupancy) -> Result {
    let Some(steps) = steps(arch.limits(), &check.kernel_on(arch), &check.launch) else {
        return Ok(());
    };
    let registers = steps.registers.map(|step| (step, "registers per thread"));
    let amounts = [registers, Some((steps.dynamic_smem, "bytes of dynamic shared memory"))];
    if answer.warps_per_sm() == answer.max_warps_per_sm {
        f.write_str("\n    next step: none, the SM is full")?;
    }
    for (step, unit) in amounts.into_iter().flatten() {
        if let Step { gains: Some(gains), gains_blocks: Some(blocks), .. } = step {
            write!(f, "\n    next step: with at most {gains} {unit}, {} per SM", Value::Count(blocks.into(), "block"))?;
        }
    }
    f.write_str("\n    room: ")?;
    let mut list = List::new(f);
    if let Some(step) = steps.registers {
        list.item(format_args!("{} more registers per thread", Room(&step)))?;
    }
    list.item(format_args!("{} more bytes of shared memory", Room(&steps.dynamic_smem)))
}

fn waves(f: &mut Formatter<'_>, check: &Check<'_>, gpu: &Gpu) -> Result {
    match check.waves_on(gpu) {
        Some(waves) => write!(f, "\n  {}: {}", gpu.name, waves),
        None => Ok(()),
    }
}

/// A list with commas between its items.
struct List<'a, 'f> {
    f: &'a mut Formatter<'f>,
    is_empty: bool,
}

impl<'a, 'f> List<'a, 'f> {
    fn new(f: &'a mut Formatter<'f>) -> Self {
        List { f, is_empty: true }
    }

    fn item(&mut self, item: core::fmt::Arguments<'_>) -> Result {
        let comma = if self.is_empty { "" } else { ", " };
        self.is_empty = false;
        write!(self.f, "{comma}{item}")
    }
}

/// How much more of a resource changes nothing: a number, or `no`.
struct Room<'a>(&'a Step);

impl Display for Room<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0.keeps - self.0.now {
            0 => f.write_str("no"),
            room => write!(f, "{room}"),
        }
    }
}

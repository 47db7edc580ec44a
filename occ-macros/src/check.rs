//! A configuration whose values are all known, checked in the macro: the errors show while typing.

use crate::config::{Carveout, CompiledKernel, Config};
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::value::Value;
use occ_core::{Arch, Argument, Ceilings, Check, Compiled, Kernel, Launch, Requirement, Rule, Verdict};

/// Checks a configuration against every rule. A configuration with constants in it is left to the compiler.
pub(crate) fn check(config: &Config, diagnostics: &mut Diagnostics) {
    let Some((kernel, ceilings, launch, requirement)) = known(config) else {
        return;
    };
    let notes: Vec<&str> = config.notes.iter().map(String::as_str).collect();
    let compiled: Vec<Compiled<'_>> = config.compiled.iter().map(CompiledKernel::as_model).collect();
    let check = Check {
        archs: &config.archs,
        gpus: &config.gpus,
        kernel,
        compiled: &compiled,
        ceilings,
        registers_are_cap: config.registers_are_cap,
        launch,
        requirement,
        notes: &notes,
        ..Check::new()
    };
    for rule in Rule::ALL {
        if let Verdict::Fails { limiting, required } = check.verdict(rule) {
            let ends = match limiting {
                Argument::Cubin => failing_file(config, &check, rule),
                _ => None,
            };
            let wanted = [limiting, required, Argument::Arch, Argument::Gpu];
            let ends = ends.unwrap_or_else(|| config.place(&wanted));
            diagnostics.push(Diagnostic::new(ends, check.explain(rule).as_str()));
        }
    }
}

/// Checks the ceilings that are known of a configuration which is left to the compiler otherwise: they are about the
/// compiled kernels alone.
pub(crate) fn check_ceilings(config: &Config, diagnostics: &mut Diagnostics) {
    let known = |value: &Option<Value<u32>>| value.as_ref().and_then(Value::known);
    let is_compiled = !config.compiled.is_empty();
    let compiled: Vec<Compiled<'_>> = config.compiled.iter().map(CompiledKernel::as_model).collect();
    let check = Check {
        archs: &config.archs,
        compiled: &compiled,
        ceilings: Ceilings {
            registers: known(&config.registers).filter(|_| is_compiled),
            max_stack: known(&config.max_stack),
            max_spills: known(&config.max_spills),
        },
        registers_are_cap: config.registers_are_cap,
        ..Check::new()
    };
    for rule in [Rule::Registers, Rule::MaxStack, Rule::MaxSpills] {
        if let Verdict::Fails { limiting, .. } = check.verdict(rule) {
            diagnostics.push(Diagnostic::new(config.place(&[limiting]), check.explain(rule).as_str()));
        }
    }
}

/// Where the file is named whose kernel breaks a rule: the one for the first capability on which it does.
fn failing_file(config: &Config, check: &Check<'_>, rule: Rule) -> Option<Ends> {
    let alone = |arch: Arch| Check { archs: &[arch], gpus: &[], ..*check }.verdict(rule).passes();
    config.compiled.iter().find(|compiled| !alone(compiled.arch)).map(|compiled| compiled.ends)
}

fn known(config: &Config) -> Option<(Kernel, Ceilings, Launch, Requirement)> {
    let registers = all_or_none(config.registers.as_ref())?;
    let is_compiled = !config.compiled.is_empty();
    let ceilings = Ceilings {
        registers: registers.filter(|_| is_compiled),
        max_stack: all_or_none(config.max_stack.as_ref())?,
        max_spills: all_or_none(config.max_spills.as_ref())?,
    };
    let mut kernel = Kernel::new().static_smem(config.static_smem.known()?).barriers(config.barriers.known()?);
    kernel.registers = registers.filter(|_| !is_compiled);
    let mut launch = Launch::block(axes(&config.block)?).dynamic_smem(config.dynamic_smem.known()?);
    launch.cluster = all_axes(config.cluster.as_ref())?;
    launch.grid = all_axes(config.grid.as_ref())?;
    if let Carveout::Percent(percent) = &config.carveout {
        launch.carveout = occ_core::Carveout::Percent(u8::try_from(percent.known()?).ok()?);
    }
    let requirement = Requirement {
        min_occupancy: all_or_none(config.min_occupancy.as_ref())?,
        min_blocks_per_sm: all_or_none(config.min_blocks_per_sm.as_ref())?,
        min_warps_per_sm: all_or_none(config.min_warps_per_sm.as_ref())?,
        min_lane_efficiency: all_or_none(config.min_lane_efficiency.as_ref())?,
        min_waves: all_or_none(config.min_waves.as_ref())?,
        max_tail_idle: all_or_none(config.max_tail_idle.as_ref())?,
    };
    Some((kernel, ceilings, launch, requirement))
}

/// `Some(None)` for a value that was not given, `None` for one that is not known.
#[allow(clippy::option_option)]
fn all_or_none<T: Copy>(value: Option<&Value<T>>) -> Option<Option<T>> {
    match value {
        Some(value) => value.known().map(Some),
        None => Some(None),
    }
}

#[allow(clippy::option_option)]
fn all_axes(value: Option<&[Value<u32>; 3]>) -> Option<Option<[u32; 3]>> {
    match value {
        Some(value) => axes(value).map(Some),
        None => Some(None),
    }
}

pub(crate) fn axes(value: &[Value<u32>; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = value;
    Some([x.known()?, y.known()?, z.known()?])
}

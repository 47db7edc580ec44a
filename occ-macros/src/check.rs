//! The check in the macro, of values that it knows: errors show while typing.

use crate::config::{Config, known_axes};
use crate::diagnostics::{Diagnostic, Diagnostics, TokenRange};
use crate::value::Value;
use occ_core::{Argument, Carveout, Ceilings, Check, Compiled, Kernel, Launch, Requirement, Rule, Verdict};

/// Checks a configuration against every rule. If the compiler must evaluate a value, only against the maximums of
/// compiled kernels that the macro knows.
pub(crate) fn check(config: &Config, diagnostics: &mut Diagnostics) {
    let notes: Vec<&str> = config.notes.iter().map(String::as_str).collect();
    let compiled: Vec<Compiled<'_>> = config.compiled.iter().map(|kernel| kernel.model()).collect();
    let (requirement, ceilings) = required(config);
    let check = Check {
        archs: &config.archs,
        compiled: &compiled,
        ceilings,
        registers_are_cap: config.registers_are_cap,
        notes: &notes,
        ..Check::new()
    };
    let (check, rules) = match (kernel(config), launch(config)) {
        (Some(kernel), Some(launch)) if config.is_known() => {
            (Check { gpus: &config.gpus, kernel, launch, requirement, ..check }, &Rule::ALL[..])
        }
        _ => (check, CEILINGS),
    };
    for &rule in rules {
        if let Verdict::Fails { limiting, required } = check.verdict(rule) {
            let file = if limiting == Argument::Cubin { failing_file(config, &check, rule) } else { None };
            let range = file.unwrap_or_else(|| config.place(&[limiting, required, Argument::Arch, Argument::Gpu]));
            diagnostics.push(Diagnostic::new(range, check.explain(rule).as_str()));
        }
    }
}

/// Rules about the compiled kernels alone.
const CEILINGS: &[Rule] = &[Rule::Registers, Rule::MaxStack, Rule::MaxSpills];

/// Returns where the file is named whose kernel breaks a rule on the first capability on which one does.
fn failing_file(config: &Config, check: &Check<'_>, rule: Rule) -> Option<TokenRange> {
    let passes_on = |arch| Check { archs: &[arch], gpus: &[], ..*check }.verdict(rule).passes();
    config.compiled.iter().find(|kernel| !passes_on(kernel.numbers.arch)).map(|kernel| kernel.range)
}

fn kernel(config: &Config) -> Option<Kernel> {
    let mut kernel = Kernel::new().static_smem(config.static_smem.known()?).barriers(config.barriers.known()?);
    // Beside compiled kernels, declared registers are a maximum for them.
    if config.compiled.is_empty() {
        kernel.registers = config.registers.as_ref().and_then(Value::known);
    }
    Some(kernel)
}

fn launch(config: &Config) -> Option<Launch> {
    let mut launch = Launch::block(known_axes(&config.block)?).dynamic_smem(config.dynamic_smem.known()?);
    launch.cluster = config.cluster.as_ref().and_then(known_axes);
    launch.grid = config.grid.as_ref().and_then(known_axes);
    if let Some(percent) = &config.carveout {
        launch.carveout = Carveout::Percent(u8::try_from(percent.known()?).ok()?);
    }
    Some(launch)
}

/// Returns what the launch and its compiled kernels must satisfy, as far as the macro knows it.
fn required(config: &Config) -> (Requirement, Ceilings) {
    let mut required = (Requirement::new(), Ceilings::new());
    // Beside compiled kernels, declared registers are a maximum for them.
    if let (Some(registers), false) = (&config.registers, config.compiled.is_empty()) {
        required.1.registers = registers.known();
    }
    for requirement in &config.requirements {
        if let (Some(argument), Some(number)) = (requirement.key.row().argument, requirement.value.known()) {
            let (of_launch, of_kernel) = required;
            required = match of_launch.with(argument, number) {
                Some(of_launch) => (of_launch, of_kernel),
                None => (of_launch, of_kernel.with(argument, number).unwrap_or(of_kernel)),
            };
        }
    }
    required
}

//! A check, evaluated once: what comes of it on each capability, and of each rule.

use crate::arch::Arch;
use crate::check::Check;
use crate::compiled::{Compiled, compiled_for};
use crate::gpu::Gpu;
use crate::grid::Waves;
use crate::occupancy::Occupancy;
use crate::refusal::Refusal;
use crate::requirement::{Argument, Ceilings, Resident, Rule, Shortfall, Subject};

/// Whether a launch satisfies a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Passes,
    /// It does not.
    Fails {
        /// The argument that limits it: the one to change.
        limiting: Argument,
        /// The argument that asks for more: where to point if the limiting one was not written.
        required: Argument,
    },
}

impl Verdict {
    /// Returns whether it passes.
    pub const fn passes(self) -> bool {
        matches!(self, Verdict::Passes)
    }

    /// Returns the verdict that points at one argument.
    const fn fails(argument: Argument) -> Self {
        Verdict::Fails { limiting: argument, required: argument }
    }
}

/// What comes of a launch on one capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It cannot run.
    Refused(Refusal),
    /// It runs, but misses requirements of [`Rule::Launch`].
    Short(Occupancy, Shortfall),
    /// It runs, and reaches what is required of it.
    Passes(Occupancy),
}

impl Outcome {
    /// Returns the occupancy of a launch that runs.
    pub const fn occupancy(&self) -> Option<&Occupancy> {
        match self {
            Outcome::Refused(_) => None,
            Outcome::Short(occupancy, _) | Outcome::Passes(occupancy) => Some(occupancy),
        }
    }
}

/// A check, evaluated: an [`Outcome`] for each declared capability and a [`Verdict`] for each rule.
///
/// ```
/// use occ_core::{Arch, Check, Kernel, Launch, Outcome, Requirement, Rule};
///
/// let check = Check {
///     archs: &[Arch::SM_75, Arch::SM_80],
///     kernel: Kernel::new().registers(168),
///     launch: Launch::new(256),
///     requirement: Requirement::new().min_occupancy(0.2),
///     ..Check::new()
/// };
/// let evaluation = check.evaluate();
/// assert!(matches!(evaluation.outcome(Arch::SM_75), Some(Outcome::Passes(_))));
/// assert!(matches!(evaluation.outcome(Arch::SM_80), Some(Outcome::Short(..))));
/// assert!(!evaluation.verdict(Rule::Launch).passes());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'c> {
    pub(crate) check: &'c Check<'c>,
    /// The argument whose value no device accepts. Nothing else is evaluated then.
    pub(crate) out_of_range: Option<Argument>,
    outcomes: [Option<Outcome>; Arch::COUNT],
    verdicts: [Verdict; Rule::COUNT],
    /// The first declared capability on which the launch cannot run.
    pub(crate) refused: Option<Arch>,
    /// The declared capability with the lowest occupancy of those on which the launch falls short.
    pub(crate) worst: Option<Arch>,
}

impl Check<'_> {
    /// Evaluates the check on every declared capability.
    ///
    /// A block no device accepts, or a grid of a launch that cannot run, fails [`Rule::Launch`] only.
    pub const fn evaluate(&self) -> Evaluation<'_> {
        let mut evaluation = self.outcomes();
        let mut index = 0;
        while index < Rule::COUNT {
            evaluation.verdicts[index] = evaluation.judge(Rule::ALL[index]);
            index += 1;
        }
        evaluation
    }

    /// Evaluates the check without its rules: constants mostly ask for one of them.
    const fn outcomes(&self) -> Evaluation<'_> {
        let mut evaluation = Evaluation {
            check: self,
            out_of_range: self.out_of_range(),
            outcomes: [None; Arch::COUNT],
            verdicts: [Verdict::Passes; Rule::COUNT],
            refused: None,
            worst: None,
        };
        if evaluation.out_of_range.is_some() {
            return evaluation;
        }
        let mut lowest = f64::INFINITY;
        let mut index = 0;
        while index < self.archs.len() {
            let arch = self.archs[index];
            index += 1;
            let outcome = match self.occupancy_on(arch) {
                Err(refusal) => {
                    if evaluation.refused.is_none() {
                        evaluation.refused = Some(arch);
                    }
                    Outcome::Refused(refusal)
                }
                Ok(occupancy) => {
                    let shortfall = self.requirement.shortfall(&Resident {
                        blocks: occupancy.blocks_per_sm,
                        warps_per_block: occupancy.warps_per_block,
                        max_warps: occupancy.max_warps_per_sm,
                    });
                    if shortfall.is_empty() {
                        Outcome::Passes(occupancy)
                    } else {
                        if occupancy.fraction() < lowest {
                            lowest = occupancy.fraction();
                            evaluation.worst = Some(arch);
                        }
                        Outcome::Short(occupancy, shortfall)
                    }
                }
            };
            evaluation.outcomes[arch.index()] = Some(outcome);
        }
        evaluation
    }

    /// Returns whether the launch satisfies a rule on every declared capability.
    pub const fn verdict(&self, rule: Rule) -> Verdict {
        self.outcomes().judge(rule)
    }

    /// Returns whether every rule is satisfied.
    pub const fn passes(&self) -> bool {
        self.first_broken_rule().is_none()
    }

    /// Returns the first rule that is not satisfied.
    pub const fn first_broken_rule(&self) -> Option<Rule> {
        let evaluation = self.evaluate();
        let mut index = 0;
        while index < Rule::COUNT {
            if !evaluation.verdicts[index].passes() {
                return Some(Rule::ALL[index]);
            }
            index += 1;
        }
        None
    }
}

impl<'c> Evaluation<'c> {
    /// Returns what comes of the launch on a capability; `None` if it is not declared, or an argument is out of range.
    pub const fn outcome(&self, arch: Arch) -> Option<&Outcome> {
        self.outcomes[arch.index()].as_ref()
    }

    /// Returns whether the launch satisfies a rule.
    pub const fn verdict(&self, rule: Rule) -> Verdict {
        self.verdicts[rule as usize]
    }

    const fn judge(&self, rule: Rule) -> Verdict {
        if let Some(argument) = self.out_of_range {
            return if matches!(rule, Rule::Launch) { Verdict::fails(argument) } else { Verdict::Passes };
        }
        match rule.subject() {
            Subject::Launch => self.judge_launch(),
            Subject::Block(required) => {
                let threads = self.check.launch.threads();
                // An empty block, and one of more threads than any device accepts, cannot run.
                if threads.wrapping_sub(1) < 1024 && self.check.requirement.is_broken_by_block(rule, threads) {
                    return Verdict::Fails { limiting: Argument::Block, required };
                }
                Verdict::Passes
            }
            Subject::Grid(required) => {
                if self.check.requirement.get(required).is_none() {
                    Verdict::Passes
                } else if !self.has_grid() {
                    Verdict::fails(required)
                } else if self.first_short_grid(rule).is_some() {
                    Verdict::Fails { limiting: Argument::Grid, required }
                } else {
                    Verdict::Passes
                }
            }
            Subject::Ceiling(required) => match self.highest(rule) {
                Some(_) => Verdict::fails(required),
                None => Verdict::Passes,
            },
            // A launch that misses what is required of it is reported once.
            Subject::CompiledMinBlocks => match self.first_below_compiled_minimum() {
                Some(_) if self.judge_launch().passes() => Verdict::fails(Argument::Cubin),
                _ => Verdict::Passes,
            },
        }
    }

    const fn judge_launch(&self) -> Verdict {
        if let Some(arch) = self.refused
            && let Some(Outcome::Refused(refusal)) = self.outcome(arch)
        {
            let limiting = self.check.refused_argument(arch, refusal);
            return Verdict::Fails { limiting, required: Argument::Arch };
        }
        if let Some(arch) = self.worst
            && let Some(Outcome::Short(occupancy, shortfall)) = self.outcome(arch)
            && let Some(required) = shortfall.first()
        {
            let limiting = if self.check.asks_too_much(arch.limits(), required) {
                required
            } else {
                self.check.limiting_argument(arch, occupancy)
            };
            return Verdict::Fails { limiting, required };
        }
        Verdict::Passes
    }

    /// Returns whether there is a grid and a GPU to count its waves on.
    pub(crate) const fn has_grid(&self) -> bool {
        self.check.launch.grid.is_some() && !self.check.gpus.is_empty()
    }

    /// Returns the first declared GPU on which the grid breaks a rule.
    pub(crate) const fn first_short_grid(&self, rule: Rule) -> Option<(&'c Gpu, Waves)> {
        let mut index = 0;
        while index < self.check.gpus.len() {
            let gpu = self.check.gpus[index];
            index += 1;
            if let Some(outcome) = self.outcome(gpu.arch)
                && let Some(occupancy) = outcome.occupancy()
                && let Some(waves) = self.check.waves_of(gpu, occupancy)
                && self.check.requirement.is_broken_by_grid(rule, &waves)
            {
                return Some((gpu, waves));
            }
        }
        None
    }

    /// Returns the one of the compiled kernels above a ceiling that is highest above it.
    pub(crate) const fn highest(&self, rule: Rule) -> Option<&'c Compiled<'c>> {
        let Some(most) = self.check.ceilings.of(rule) else {
            return None;
        };
        let mut highest: Option<(u32, &Compiled<'_>)> = None;
        let mut index = 0;
        while index < self.check.archs.len() {
            if let Some(compiled) = compiled_for(self.check.compiled, self.check.archs[index]) {
                // What is not known may be anything.
                let number = match Ceilings::number(rule, compiled) {
                    Some(number) => number,
                    None => u32::MAX,
                };
                highest = match highest {
                    Some((other, _)) if other >= number => highest,
                    _ if number > most || number == u32::MAX => Some((number, compiled)),
                    _ => highest,
                };
            }
            index += 1;
        }
        match highest {
            Some((_, compiled)) => Some(compiled),
            None => None,
        }
    }

    /// Returns the first compiled kernel that was to leave room for more blocks than an SM holds, and that number.
    pub(crate) const fn first_below_compiled_minimum(&self) -> Option<(&'c Compiled<'c>, u32, &Occupancy)> {
        let mut index = 0;
        while index < self.check.archs.len() {
            let arch = self.check.archs[index];
            index += 1;
            if let Some(compiled) = compiled_for(self.check.compiled, arch)
                && let Some(minimum) = compiled.min_blocks_per_sm
                && let Some(outcome) = self.outcome(arch)
                && let Some(occupancy) = outcome.occupancy()
                && occupancy.blocks_per_sm < minimum
            {
                return Some((compiled, minimum, occupancy));
            }
        }
        None
    }
}

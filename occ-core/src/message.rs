//! What a check says when it fails: one wording for the macro, for constants and for run time.
//!
//! The first line says what fails, with both numbers. The lines after it start with `= note: ` (the cause, with its
//! arithmetic) and `= help: ` (what to write; every value in a help has been tried).

mod compiled;
mod grid;
mod help;
mod missed;
mod numbers;
mod refused;
mod sentence;
mod short;
mod standing;

use crate::carveout::Carveout;
use crate::check::Check;
use crate::compiled::Ceiling;
use crate::requirement::{Argument, Requirement, Rule};
use crate::text::Text;
use crate::warps::lane_efficiency;
use compiled::{above_ceiling, below_compiled_minimum, sources};
use grid::grid;
use help::help;
use numbers::{above, below};
use refused::{first_refusal, refused};
use short::{count_of, falls_short};

pub use sentence::{Filled, Sentence, Value};

const NOTE: &str = "\n= note: ";
const HELP: &str = "\n= help: ";

pub(crate) const fn explain(check: &Check<'_>, rule: Rule) -> Text {
    let mut text = Text::new();
    if check.verdict(rule).passes() {
        return text;
    }
    match rule {
        Rule::Launch => match check.out_of_range() {
            Some(argument) => out_of_range(&mut text, check, argument),
            None => match first_refusal(check) {
                Some((arch, refusal)) => {
                    refused(&mut text, check, arch, &refusal);
                    sources(&mut text, check);
                }
                None => {
                    falls_short(&mut text, check);
                    sources(&mut text, check);
                }
            },
        },
        Rule::MinLaneEfficiency => lanes(&mut text, check),
        Rule::MinWaves | Rule::MaxTailIdle => grid(&mut text, check, rule),
        Rule::Registers => above_ceiling(&mut text, check, Ceiling::Registers),
        Rule::MaxStack => above_ceiling(&mut text, check, Ceiling::Stack),
        Rule::MaxSpills => above_ceiling(&mut text, check, Ceiling::Spills),
        Rule::CompiledMinBlocks => below_compiled_minimum(&mut text, check),
    }
    let mut at = 0;
    while at < check.notes.len() {
        text.str(NOTE).str(check.notes[at]);
        at += 1;
    }
    help(&mut text, check, rule);
    text
}

/// A value that is wrong on every device.
const fn out_of_range(text: &mut Text, check: &Check<'_>, argument: Argument) {
    match argument {
        Argument::StaticSmem => {
            text.str("`static_smem` is ")
                .num(check.kernel.static_smem as u64)
                .str(" bytes, a kernel can declare at most ");
            text.num(Check::MAX_STATIC_SMEM as u64);
            if more_is_possible(check) {
                text.str(HELP).str("make it dynamic shared memory: `dynamic_smem` may be larger");
            }
        }
        Argument::Registers => {
            text.str("`").str(if check.registers_are_cap { "max_registers" } else { "registers" });
            text.str("` must not be 0").str(HELP).str("leave it out while the number is not known");
        }
        Argument::MinBlocksPerSm => {
            text.str("`min_blocks_per_sm` must not be 0");
        }
        Argument::MinWarpsPerSm => {
            text.str("`min_warps_per_sm` must not be 0");
        }
        Argument::Gpu => {
            if let Some(gpu) = check.undeclared_gpu() {
                text.str(gpu.name).str(" is of capability ").str(gpu.arch.name()).str(", which is not declared");
            }
        }
        Argument::Arch => {
            text.str("no compute capability is declared, so nothing was checked");
        }
        Argument::MinOccupancy => not_a_fraction(text, "min_occupancy", check.requirement.min_occupancy),
        Argument::MinLaneEfficiency => {
            not_a_fraction(text, "min_lane_efficiency", check.requirement.min_lane_efficiency);
        }
        Argument::MaxTailIdle => not_a_fraction(text, "max_tail_idle", check.requirement.max_tail_idle),
        Argument::Carveout => {
            text.str("`carveout` must be a percentage from 0 to 100");
            if let Carveout::Percent(percent) = check.launch.carveout {
                text.str(if percent == u8::MAX { ", it is at least " } else { ", it is " }).num(percent as u64);
            }
        }
        _ => {
            text.str("`min_waves` must be a number from 0 to ").num(Requirement::MAX_WAVES as u64).str(", it is ");
            signed(text, check.requirement.min_waves);
        }
    }
}

/// Whether every capability allows a block more dynamic than static shared memory.
const fn more_is_possible(check: &Check<'_>) -> bool {
    let mut at = 0;
    while at < check.archs.len() {
        if check.archs[at].limits().smem_per_block_optin < check.kernel.static_smem {
            return false;
        }
        at += 1;
    }
    true
}

const fn not_a_fraction(text: &mut Text, name: &str, value: Option<f64>) {
    text.str("`").str(name).str("` must be a fraction from 0.0 to 1.0, it is ");
    signed(text, value);
}

/// Any number there is, if only roughly.
const fn signed(text: &mut Text, value: Option<f64>) {
    match value {
        Some(value) if value.is_nan() => text.str("NaN"),
        Some(value) if value < 0.0 => text.str("-").decimal(-value, 4),
        Some(value) if value > 1e15 => text.str("more than 1000000000000000"),
        Some(value) => text.decimal(value, 4),
        None => text,
    };
}
const fn lanes(text: &mut Text, check: &Check<'_>) {
    let threads = check.launch.threads();
    let required = match check.requirement.min_lane_efficiency {
        Some(required) => required,
        None => 0.0,
    };
    let reached = lane_efficiency(threads);
    below(text.str("lane efficiency "), reached * 100.0, required * 100.0);
    above(text.str("% is below the required "), required * 100.0).str("%").str(NOTE);
    let warps = threads.div_ceil(32);
    text.str("a block of ");
    count_of(text, threads, "thread").str(" takes ");
    count_of(text, warps, "warp").str(" of 32 lanes, so ").num((warps * 32 - threads) as u64);
    text.str(" of ").num(warps as u64 * 32).str(" lanes never have work");
}

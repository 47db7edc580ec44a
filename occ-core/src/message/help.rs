//! What to write instead: each change has been tried.

use super::HELP;
use super::short::{first_unmet, required};
use crate::advice::{Change, blocks_for_launch_bounds};
use crate::check::Check;
use crate::requirement::{Argument, Rule};
use crate::text::Text;

pub(super) const fn help(text: &mut Text, check: &Check<'_>, rule: Rule) {
    if check.out_of_range().is_some() {
        return;
    }
    let changes = check.advice(rule).changes();
    let mut at = 0;
    while at < changes.len() {
        if let Some(change) = changes[at] {
            text.str(HELP);
            one_help(text, check, rule, change);
        }
        at += 1;
    }
    if changes[0].is_none() && matches!(rule, Rule::Launch | Rule::CompiledMinBlocks) {
        text.str(HELP).str("no single change was found that is enough: change several arguments, or what is required");
    }
}

const fn one_help(text: &mut Text, check: &Check<'_>, rule: Rule, change: Change) {
    match change {
        Change::Registers(registers) if !check.compiled.is_empty() => {
            text.str("with at most ").num(registers as u64).str(" registers");
        }
        Change::StaticSmem(bytes) if bytes > 0 && !check.compiled.is_empty() => {
            text.str("with at most ").num(bytes as u64).str(" bytes of static shared memory");
        }
        Change::Barriers(barriers) if !check.compiled.is_empty() => {
            text.str("with at most ").num(barriers as u64).str(" barriers");
        }
        Change::Registers(registers) => {
            text.str("with `").str(if check.registers_are_cap { "max_registers" } else { "registers" });
            text.str("` at most ").num(registers as u64);
        }
        Change::StaticSmem(0) => {
            text.str("without static shared memory");
        }
        Change::DynamicSmem(0) => {
            text.str("without dynamic shared memory");
        }
        Change::DynamicSmem(bytes) => {
            text.str("with `dynamic_smem` at most ").num(bytes as u64);
        }
        Change::StaticSmem(bytes) => {
            text.str("with `static_smem` at most ").num(bytes as u64);
        }
        Change::Barriers(barriers) => {
            text.str("with `barriers` at most ").num(barriers as u64);
        }
        Change::NoCarveout => {
            text.str("without `carveout`");
        }
        Change::NoCluster => {
            text.str("without `cluster`");
        }
        Change::Block(axes) => {
            text.str("with `block = ").axes(axes).str("`");
        }
        Change::Grid(axes) => {
            text.str("with `grid = ").axes(axes).str("`");
        }
        Change::MinOccupancy(fraction) => {
            text.str("no other single change was found; `min_occupancy = ").decimal(fraction, 4);
            text.str("` is what this launch reaches");
            return;
        }
    }
    outcome(text, check, rule);
    if let Change::Registers(registers) = change
        && let Some(blocks) = blocks_for_launch_bounds(check, registers)
    {
        text.str(" (compile the kernel with ");
        if check.registers_are_cap && check.compiled.is_empty() {
            text.str("`-maxrregcount=").num(registers as u64).str("`)");
        } else {
            text.str("`__launch_bounds__(").num(check.launch.threads() as u64);
            if blocks > 1 {
                text.str(", ").num(blocks as u64);
            }
            text.str(")`)");
        }
    }
}

/// What a change brings.
const fn outcome(text: &mut Text, check: &Check<'_>, rule: Rule) {
    match rule {
        Rule::Launch => {
            if check.refused() {
                text.str(" it can run");
                if check.archs.len() > 1 {
                    text.str(" on all of them");
                }
                return;
            }
            text.str(" it reaches ");
            let requirements = &check.requirement;
            let several = requirements.min_occupancy.is_some() as u8
                + requirements.min_blocks_per_sm.is_some() as u8
                + requirements.min_warps_per_sm.is_some() as u8
                > 1;
            if several {
                text.str("all that is required");
                if check.archs.len() > 1 {
                    text.str(" on all of them");
                }
                return;
            }
            let requirement = first_unmet(check);
            required(text, check, requirement);
            match requirement {
                Argument::MinBlocksPerSm => text.str(" blocks per SM"),
                Argument::MinWarpsPerSm => text.str(" warps per SM"),
                _ => text,
            };
            if check.archs.len() > 1 {
                text.str(" on all of them");
            }
        }
        Rule::MinLaneEfficiency => {
            text.str(" it is reached");
        }
        Rule::MinWaves => {
            text.str(" there are enough waves");
        }
        Rule::MaxTailIdle => {
            text.str(" the last wave is full enough");
        }
        Rule::CompiledMinBlocks => {
            text.str(" there is room for them");
        }
        Rule::Registers | Rule::MaxStack | Rule::MaxSpills => {}
    }
}

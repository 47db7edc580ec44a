//! What to write instead: each change has been tried.

use super::out_of_range::registers_key;
use super::requirement::stated;
use super::sentence::{HELP, Sentence, Value};
use super::short::first_missed;
use crate::advice::{Change, blocks_for_launch_bounds};
use crate::evaluation::Evaluation;
use crate::requirement::{Argument, Requirement, Rule, Subject};
use crate::text::Text;

// A change, and what it brings.
const LIMIT: Sentence<3> = Sentence::new("limit `{}` to {} {}");
const LIMIT_KERNEL: Sentence<2> = Sentence::new("limit the kernel to {} {}");
const LIMIT_SMEM: Sentence<2> = Sentence::new("limit the kernel to {} of static shared memory {}");
const REMOVE: Sentence<2> = Sentence::new("remove `{}` {}");
const REMOVE_SMEM: Sentence<2> = Sentence::new("remove the {} shared memory {}");
const SET: Sentence<3> = Sentence::new("set `{} = {}` {}");
const LOWER: Sentence<1> =
    Sentence::new("set `min_occupancy = {}`, which this launch reaches; no other single change was found");
const NONE: Sentence<0> =
    Sentence::new("no single change was found that is enough; change several arguments or the requirement");
const BY_CAP: Sentence<1> = Sentence::new(" (compile the kernel with `-maxrregcount={}`)");
const BY_BOUNDS: Sentence<2> = Sentence::new(" (compile the kernel with `__launch_bounds__({}{})`)");

// What it brings.
const TO_RUN: Sentence<1> = Sentence::new("so that it can run{}");
const TO_REACH: Sentence<2> = Sentence::new("to reach {}{}");
const TO_MEET_ALL: Sentence<1> = Sentence::new("to meet every requirement{}");
const TO_MEET: Sentence<1> = Sentence::new("to meet `{}`");
const TO_HOLD: Sentence<0> = Sentence::new("to hold that many blocks");
const EVERYWHERE: &str = " on all declared capabilities";

pub(super) const fn help(text: &mut Text, evaluation: &Evaluation<'_>, rule: Rule) {
    if evaluation.out_of_range.is_some() {
        return;
    }
    let changes = evaluation.advice(rule).changes();
    let mut index = 0;
    while index < changes.len() {
        if let Some(change) = changes[index] {
            one_help(text.str(HELP), evaluation, rule, change);
        }
        index += 1;
    }
    if changes[0].is_none() && matches!(rule, Rule::Launch | Rule::CompiledMinBlocks) {
        NONE.write(text.str(HELP), []);
    }
}

const fn one_help(text: &mut Text, evaluation: &Evaluation<'_>, rule: Rule, change: Change) {
    let check = evaluation.check;
    let outcome = outcome(evaluation, rule);
    let outcome = Value::Name(outcome.as_str());
    let is_compiled = !check.compiled.is_empty();
    match change {
        Change::Registers(most) if is_compiled => {
            LIMIT_KERNEL.write(text, [Value::Count(most as u64, "register"), outcome]);
        }
        Change::StaticSmem(0) => REMOVE_SMEM.write(text, [Value::Name("static"), outcome]),
        Change::StaticSmem(most) if is_compiled => {
            LIMIT_SMEM.write(text, [Value::Count(most as u64, "byte"), outcome]);
        }
        Change::Barriers(most) if is_compiled => {
            LIMIT_KERNEL.write(text, [Value::Count(most as u64, "barrier"), outcome]);
        }
        Change::Registers(most) => limit(text, registers_key(check), most, outcome),
        Change::DynamicSmem(0) => REMOVE_SMEM.write(text, [Value::Name("dynamic"), outcome]),
        Change::DynamicSmem(most) => limit(text, Argument::DynamicSmem.name(), most, outcome),
        Change::StaticSmem(most) => limit(text, Argument::StaticSmem.name(), most, outcome),
        Change::Barriers(most) => limit(text, Argument::Barriers.name(), most, outcome),
        Change::NoCarveout => REMOVE.write(text, [Value::Name(Argument::Carveout.name()), outcome]),
        Change::NoCluster => REMOVE.write(text, [Value::Name(Argument::Cluster.name()), outcome]),
        Change::Block(axes) => SET.write(text, [Value::Name(Argument::Block.name()), Value::Axes(axes), outcome]),
        Change::Grid(axes) => SET.write(text, [Value::Name(Argument::Grid.name()), Value::Axes(axes), outcome]),
        Change::MinOccupancy(fraction) => LOWER.write(text, [Value::Any(fraction)]),
    }
    if let Change::Registers(registers) = change
        && let Some(blocks) = blocks_for_launch_bounds(check, registers)
    {
        if check.registers_are_cap && !is_compiled {
            BY_CAP.write(text, [Value::Number(registers as u64)]);
        } else {
            let mut minimum = Text::<16>::new();
            if blocks > 1 {
                minimum.str(", ").num(blocks as u64);
            }
            BY_BOUNDS.write(text, [Value::Number(check.launch.threads() as u64), Value::Name(minimum.as_str())]);
        }
    }
}

const fn limit(text: &mut Text, key: &str, most: u32, outcome: Value<'_>) {
    LIMIT.write(text, [Value::Name(key), Value::Number(most as u64), outcome]);
}

/// Returns what a change brings.
const fn outcome(evaluation: &Evaluation<'_>, rule: Rule) -> Text<128> {
    let mut text = Text::new();
    let check = evaluation.check;
    let everywhere = Value::Name(if check.archs.len() > 1 { EVERYWHERE } else { "" });
    match rule.subject() {
        Subject::Launch if evaluation.refused.is_some() => TO_RUN.write(&mut text, [everywhere]),
        Subject::Launch if requirements_of_launch(&check.requirement) > 1 => {
            TO_MEET_ALL.write(&mut text, [everywhere]);
        }
        Subject::Launch => {
            let mut required = Text::<64>::new();
            match (first_missed(evaluation), check.requirement.min_occupancy) {
                (Argument::MinOccupancy, Some(least)) => Value::PercentRequired(least).write(&mut required),
                (first, _) => stated(&mut required, &check.requirement, first),
            }
            TO_REACH.write(&mut text, [Value::Name(required.as_str()), everywhere]);
        }
        Subject::Block(required) | Subject::Grid(required) | Subject::Ceiling(required) => {
            TO_MEET.write(&mut text, [Value::Name(required.name())]);
        }
        Subject::CompiledMinBlocks => TO_HOLD.write(&mut text, []),
    }
    text
}

/// Returns how many requirements there are of occupancy, blocks and warps.
const fn requirements_of_launch(requirement: &Requirement) -> u32 {
    let mut count = 0;
    let mut index = 0;
    while index < Requirement::OF_LAUNCH.len() {
        count += requirement.get(Requirement::OF_LAUNCH[index]).is_some() as u32;
        index += 1;
    }
    count
}

//! A launch that cannot run: where, why, and with which error of the driver.

use super::list::{Which, count, list, more, named};
use super::sentence::{NOTE, Sentence, Value, separate};
use super::short::passes;
use crate::allocation::registers_per_warp;
use crate::arch::Arch;
use crate::evaluation::{Evaluation, Outcome};
use crate::refusal::Refusal;
use crate::requirement::Argument;
use crate::text::{Text, same_text};

const CANNOT_RUN: Sentence<1> = Sentence::new("this launch cannot run on {}: ");
const ALSO_REFUSED: Sentence<1> = Sentence::new("it cannot run on {} either: ");
const DRIVER_ERROR: Sentence<2> = Sentence::new("the driver would return `{}` ({})");
const ROUNDED: Sentence<2> = Sentence::new("registers are allocated per warp: {} × 32 threads round up to {}");
const ROUNDED_WARPS: Sentence<3> = Sentence::new("; {} over {} sub-partitions take as many as {}");
const RUNS_SHORT: Sentence<1> = Sentence::new("it runs but misses the requirement with occupancy {}");

pub(super) const fn refused(text: &mut Text, evaluation: &Evaluation<'_>, arch: Arch) {
    let Some(Outcome::Refused(refusal)) = evaluation.outcome(arch) else {
        return;
    };
    let archs = alike(evaluation, refusal);
    CANNOT_RUN.write(text, [Value::Name(archs.as_str())]);
    refusal.write(text);
    if let Some(error) = refusal.cuda_error() {
        DRIVER_ERROR.write(text.str(NOTE), [Value::Name(error.name), Value::Number(error.code as u64)]);
    }
    if let Refusal::RegistersPerBlock { registers, warps, needed, .. } = *refusal {
        why_rounded(text, evaluation, arch, registers, warps, needed);
    }
    // Another capability may refuse for another reason or with another number.
    let declared = evaluation.check.archs;
    let mut index = 0;
    while index < declared.len() {
        if let Some(Outcome::Refused(other)) = evaluation.outcome(declared[index])
            && !same(other, refusal)
            && !is_listed(evaluation, index, other)
        {
            let archs = alike(evaluation, other);
            ALSO_REFUSED.write(text.str(NOTE), [Value::Name(archs.as_str())]);
            other.write(text);
        }
        index += 1;
    }
    if count(evaluation, Which::Short) > 0 {
        let mut archs = Text::<512>::new();
        list(&mut archs, evaluation, Which::Short, Argument::MinOccupancy);
        RUNS_SHORT.write(text.str(NOTE), [Value::Name(archs.as_str())]);
    }
    passes(text, evaluation);
}

/// Returns whether an earlier capability refuses a launch in the same words.
const fn is_listed(evaluation: &Evaluation<'_>, before: usize, refusal: &Refusal) -> bool {
    let mut index = 0;
    while index < before {
        if let Some(Outcome::Refused(other)) = evaluation.outcome(evaluation.check.archs[index])
            && same(other, refusal)
        {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns the capabilities that refuse a launch in the same words: `sm_80, sm_86 and sm_90`.
const fn alike(evaluation: &Evaluation<'_>, refusal: &Refusal) -> Text<256> {
    let declared = evaluation.check.archs;
    let mut count = 0;
    let mut index = 0;
    while index < declared.len() {
        if let Some(Outcome::Refused(other)) = evaluation.outcome(declared[index])
            && same(other, refusal)
        {
            count += 1;
        }
        index += 1;
    }
    let named = named(count);
    let mut text = Text::new();
    let mut written = 0;
    index = 0;
    while index < declared.len() && written < named {
        if let Some(Outcome::Refused(other)) = evaluation.outcome(declared[index])
            && same(other, refusal)
        {
            separate(&mut text, written, count);
            text.str(declared[index].name());
            written += 1;
        }
        index += 1;
    }
    more(&mut text, count - named);
    text
}

/// Appends why the registers of a block are more than registers × threads: people compute the plain product.
const fn why_rounded(
    text: &mut Text,
    evaluation: &Evaluation<'_>,
    arch: Arch,
    registers: u32,
    warps: u32,
    needed: u64,
) {
    let sm = arch.limits();
    if registers as u64 * evaluation.check.launch.threads() as u64 == needed {
        return;
    }
    let per_warp = registers_per_warp(sm, registers) as u64;
    let parts = sm.launch_sub_partitions.get();
    let counted = warps.next_multiple_of(parts);
    ROUNDED.write(text.str(NOTE), [Value::Number(registers as u64), Value::Number(per_warp)]);
    if counted != warps {
        let values = [Value::Count(warps as u64, "warp"), Value::Number(parts as u64), Value::Number(counted as u64)];
        ROUNDED_WARPS.write(text, values);
    }
}

/// Returns whether two refusals say the same.
const fn same(a: &Refusal, b: &Refusal) -> bool {
    let (mut words_of_a, mut words_of_b) = (Text::<256>::new(), Text::<256>::new());
    a.write(&mut words_of_a);
    b.write(&mut words_of_b);
    same_text(words_of_a.as_str(), words_of_b.as_str())
}

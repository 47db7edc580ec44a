//! A launch that cannot run: where, why, and with which error of the driver.

use super::NOTE;
use super::standing::{NAMED, Standing, any, list, separate};
use crate::arch::Arch;
use crate::check::Check;
use crate::refusal::Refusal;
use crate::text::{Text, same_text};

pub(super) const fn first_refusal(check: &Check<'_>) -> Option<(Arch, Refusal)> {
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(refusal) = check.on(check.archs[at]) {
            return Some((check.archs[at], refusal));
        }
        at += 1;
    }
    None
}

pub(super) const fn refused(text: &mut Text, check: &Check<'_>, arch: Arch, refusal: &Refusal) {
    text.str("this launch cannot run on ").str(arch.name());
    alike(text, check, refusal);
    text.str(": ");
    refusal.write(text);
    if let Some(error) = refusal.cuda_error() {
        text.str(NOTE).str("the driver would return `").str(error.name).str("` (").num(error.code as u64).str(")");
    }
    if let Refusal::RegistersPerBlock { registers, warps, needed, .. } = *refusal {
        why_rounded(text, check, arch, registers, warps, needed);
    }
    // Another capability may refuse for another reason or with another number.
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(other) = check.on(check.archs[at])
            && !same(&other, refusal)
        {
            text.str(NOTE).str("nor on ").str(check.archs[at].name()).str(": ");
            other.write(text);
        }
        at += 1;
    }
    if any(check, Standing::Short) {
        text.str(NOTE).str("it runs, but falls short, on ");
        list(text, check, Standing::Short, true);
    }
    if any(check, Standing::Passes) {
        text.str(NOTE).str("it passes on ");
        list(text, check, Standing::Passes, true);
    }
}

/// ` and 3 more`: the other capabilities that refuse a launch in the same words.
const fn alike(text: &mut Text, check: &Check<'_>, refusal: &Refusal) {
    let mut all = 0;
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(other) = check.on(check.archs[at])
            && same(&other, refusal)
        {
            all += 1;
        }
        at += 1;
    }
    let named = if all > NAMED + 1 { NAMED } else { all };
    let mut done = 0;
    at = 0;
    while at < check.archs.len() && done < named {
        if let Err(other) = check.on(check.archs[at])
            && same(&other, refusal)
        {
            // The first has been named.
            if done > 0 {
                separate(text, done, all);
                text.str(check.archs[at].name());
            }
            done += 1;
        }
        at += 1;
    }
    if named < all {
        text.str(" and ").num((all - named) as u64).str(" more");
    }
}

/// Why the registers of a block are more than registers × threads: people compute the plain product.
const fn why_rounded(text: &mut Text, check: &Check<'_>, arch: Arch, registers: u32, warps: u32, needed: u64) {
    let sm = arch.limits();
    let plain = registers as u64 * check.launch.threads() as u64;
    if plain == needed {
        return;
    }
    let per_warp = crate::allocation::registers_per_warp(sm, registers);
    let counted = warps.next_multiple_of(sm.launch_sub_partitions.get());
    text.str(NOTE)
        .num(registers as u64)
        .str(" × 32 threads round up to ")
        .num(per_warp as u64)
        .str(" registers a warp");
    if counted != warps {
        text.str(", and ").num(warps as u64).str(if warps == 1 { " warp counts as " } else { " warps count as " });
        text.num(counted as u64).str(" over the ").num(sm.launch_sub_partitions.get() as u64).str(" sub-partitions");
    }
}

const fn same(a: &Refusal, b: &Refusal) -> bool {
    let (mut left, mut right) = (Text::<512>::new(), Text::<512>::new());
    a.write(&mut left);
    b.write(&mut right);
    same_text(left.as_str(), right.as_str())
}

//! How a launch stands on each capability, and lists of those where it stands alike.

use crate::arch::Arch;
use crate::check::Check;
use crate::text::Text;

/// Capabilities named one by one in a line; the rest are counted.
pub(super) const NAMED: usize = 4;

/// How a launch stands on one capability.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Refused,
    Short,
    Passes,
}

pub(super) const fn standing(check: &Check<'_>, arch: Arch) -> Standing {
    match check.on(arch) {
        Err(_) => Standing::Refused,
        Ok(answer) => {
            if answer.blocks_per_sm < check.requirement.blocks_per_sm(arch.limits(), answer.warps_per_block) {
                Standing::Short
            } else {
                Standing::Passes
            }
        }
    }
}

const fn is(standing: Standing, other: Standing) -> bool {
    standing as u8 == other as u8
}

pub(super) const fn count(check: &Check<'_>, wanted: Standing) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < check.archs.len() {
        if is(standing(check, check.archs[at]), wanted) {
            count += 1;
        }
        at += 1;
    }
    count
}

pub(super) const fn any(check: &Check<'_>, wanted: Standing) -> bool {
    count(check, wanted) > 0
}

/// `sm_80, sm_86 and 3 more`, each with its occupancy if asked.
pub(super) const fn list(text: &mut Text, check: &Check<'_>, wanted: Standing, with_occupancy: bool) {
    let all = count(check, wanted);
    let named = if all > NAMED + 1 { NAMED } else { all };
    let mut done = 0;
    let mut at = 0;
    while at < check.archs.len() && done < named {
        let arch = check.archs[at];
        if is(standing(check, arch), wanted) {
            separate(text, done, all);
            text.str(arch.name());
            if with_occupancy && let Ok(answer) = check.on(arch) {
                text.str(" (").percent(answer.fraction(), 1).str(")");
            }
            done += 1;
        }
        at += 1;
    }
    if named < all {
        text.str(" and ").num((all - named) as u64).str(" more");
    }
}

/// What stands before item `done` of `all`: nothing, a comma, or `and` before the last.
pub(super) const fn separate(text: &mut Text, done: usize, all: usize) {
    if done == 0 {
    } else if done + 1 == all {
        text.str(" and ");
    } else {
        text.str(", ");
    }
}

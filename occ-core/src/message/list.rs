//! Lists of capabilities: each value once, with the capabilities it holds on.

use super::requirement::reached;
use super::sentence::separate;
use crate::arch::Arch;
use crate::block_limits::Resource;
use crate::evaluation::{Evaluation, Outcome};
use crate::occupancy::Occupancy;
use crate::requirement::{Argument, Resident};
use crate::text::Text;

/// Capabilities named one by one in a line; the rest are counted.
const NAMED: usize = 4;

/// Of the capabilities that a message is about, those that a line names.
#[derive(Clone, Copy)]
pub(super) enum Which {
    /// Those on which the launch misses a requirement.
    Missing(Argument),
    /// Those on which it falls short.
    Short,
    /// Those on which it passes.
    Passing,
}

/// Returns the occupancy on a capability that is one of those meant.
pub(super) const fn occupancy_of<'e>(
    evaluation: &'e Evaluation<'_>,
    arch: Arch,
    which: Which,
) -> Option<&'e Occupancy> {
    match (evaluation.outcome(arch), which) {
        (Some(Outcome::Short(occupancy, _)), Which::Short) | (Some(Outcome::Passes(occupancy)), Which::Passing) => {
            Some(occupancy)
        }
        (Some(Outcome::Short(occupancy, shortfall)), Which::Missing(argument)) if shortfall.misses(argument) => {
            Some(occupancy)
        }
        _ => None,
    }
}

/// Returns how many capabilities are meant.
pub(super) const fn count(evaluation: &Evaluation<'_>, which: Which) -> usize {
    let archs = evaluation.check.archs;
    let mut count = 0;
    let mut index = 0;
    while index < archs.len() {
        if occupancy_of(evaluation, archs[index], which).is_some() {
            count += 1;
        }
        index += 1;
    }
    count
}

/// Returns how many of so many capabilities are named.
pub(super) const fn named(count: usize) -> usize {
    if count > NAMED + 1 { NAMED } else { count }
}

/// What capabilities have alike that share a part of a list.
#[derive(Clone, Copy)]
pub(super) enum Alike {
    /// The value shown of a requirement.
    Value(Argument),
    /// Every block limit, and the warps.
    Limits,
}

/// Appends the names of the capabilities that are like `first` and not listed yet, and marks them as listed.
pub(super) const fn names<const N: usize>(
    text: &mut Text<N>,
    evaluation: &Evaluation<'_>,
    which: Which,
    alike: Alike,
    first: Arch,
    listed: &mut [bool; Arch::COUNT],
) -> usize {
    let Some(occupancy) = occupancy_of(evaluation, first, which) else {
        return 0;
    };
    let mut group = [first; Arch::COUNT];
    let mut size = 0;
    let mut order = Order::new(Some(first));
    while let Some(arch) = order.next(evaluation) {
        if let Some(other) = occupancy_of(evaluation, arch, which)
            && is_alike(alike, occupancy, other)
            && !listed[arch.index()]
        {
            listed[arch.index()] = true;
            group[size] = arch;
            size += 1;
        }
    }
    let named = named(size);
    let mut index = 0;
    while index < named {
        separate(text, index, size);
        text.str(group[index].name());
        index += 1;
    }
    more(text, size - named);
    size
}

/// Appends `12.5% on sm_80 and sm_90, 33.3% on sm_86`, or the same with blocks or warps.
pub(super) const fn list<const N: usize>(
    text: &mut Text<N>,
    evaluation: &Evaluation<'_>,
    which: Which,
    shown: Argument,
) {
    let count = count(evaluation, which);
    let mut listed = [false; Arch::COUNT];
    let mut written = 0;
    let mut all_single = true;
    let mut order = Order::new(worst_first(evaluation, count));
    while let Some(arch) = order.next(evaluation) {
        let Some(occupancy) = occupancy_of(evaluation, arch, which) else {
            continue;
        };
        if listed[arch.index()] {
            continue;
        }
        let mut archs = Text::<64>::new();
        let size = names(&mut archs, evaluation, which, Alike::Value(shown), arch, &mut listed);
        all_single = all_single && size == 1;
        if written > 0 {
            text.str(if all_single && written + size == count { " and " } else { ", " });
        }
        reached(&evaluation.check.requirement, shown, &resident(occupancy)).write(text);
        text.str(" on ").str(archs.as_str());
        written += size;
    }
}

/// Returns the capability to tell first: the worst where not all are named, since it is the one that decides what is
/// limiting and what helps.
pub(super) const fn worst_first(evaluation: &Evaluation<'_>, count: usize) -> Option<Arch> {
    if named(count) < count { evaluation.worst } else { None }
}

/// Appends ` and 3 more`.
pub(super) const fn more<const N: usize>(text: &mut Text<N>, count: usize) {
    if count > 0 {
        text.str(" and ").num(count as u64).str(" more");
    }
}

pub(super) const fn resident(occupancy: &Occupancy) -> Resident {
    Resident {
        blocks: occupancy.blocks_per_sm,
        warps_per_block: occupancy.warps_per_block,
        max_warps: occupancy.max_warps_per_sm,
    }
}

const fn is_alike(alike: Alike, a: &Occupancy, b: &Occupancy) -> bool {
    match alike {
        Alike::Value(Argument::MinOccupancy) => {
            a.warps_per_sm() as u64 * b.max_warps_per_sm as u64 == b.warps_per_sm() as u64 * a.max_warps_per_sm as u64
        }
        Alike::Value(Argument::MinBlocksPerSm) => a.blocks_per_sm == b.blocks_per_sm,
        Alike::Value(_) => a.warps_per_sm() == b.warps_per_sm(),
        Alike::Limits => {
            let mut index = 0;
            while index < Resource::ALL.len() {
                match (a.limits.of(Resource::ALL[index]), b.limits.of(Resource::ALL[index])) {
                    (None, None) => {}
                    (Some(a), Some(b)) if a == b => {}
                    _ => return false,
                }
                index += 1;
            }
            a.warps_per_block == b.warps_per_block && a.max_warps_per_sm == b.max_warps_per_sm
        }
    }
}

/// The capabilities in the order they are listed: one first, then the others as declared.
pub(super) struct Order {
    first: Option<Arch>,
    index: usize,
    is_first_listed: bool,
}

impl Order {
    pub(super) const fn new(first: Option<Arch>) -> Self {
        Order { first, index: 0, is_first_listed: false }
    }

    pub(super) const fn next(&mut self, evaluation: &Evaluation<'_>) -> Option<Arch> {
        if let (Some(first), false) = (self.first, self.is_first_listed) {
            self.is_first_listed = true;
            return Some(first);
        }
        while self.index < evaluation.check.archs.len() {
            let arch = evaluation.check.archs[self.index];
            self.index += 1;
            match self.first {
                Some(first) if first.index() == arch.index() => {}
                _ => return Some(arch),
            }
        }
        None
    }
}

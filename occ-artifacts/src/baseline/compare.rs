//! Compares two baselines.

use super::file::{Baseline, Key};
use super::row::Entry;
use crate::image::Stack;
use crate::target::CodeTarget;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

/// How much worse a kernel may become without counting as a difference; not at all by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Additional registers per thread.
    pub registers: u32,
    /// Additional static shared memory per block, in bytes.
    pub static_smem: u32,
    /// Additional barriers per block.
    pub barriers: u32,
    /// Additional stack per thread, in bytes.
    pub stack: u32,
    /// Additional spill stores, and additional spill loads, in bytes per thread.
    pub spills: u32,
    /// Loss of occupancy, 0.0 to 1.0.
    pub occupancy: f64,
}

/// A difference of one kernel for one target between two baselines.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The mangled name of the kernel.
    pub kernel: String,
    /// The demangled name of the kernel.
    pub name: String,
    /// The target. `None` if the baselines do not state it.
    pub target: Option<CodeTarget>,
    /// The change.
    pub change: Change,
}

/// What changed about a kernel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The kernel is new.
    Added,
    /// The kernel was removed.
    Removed,
    /// The kernel takes more of a resource than before, beyond the tolerance.
    Grew {
        /// The resource with its unit.
        quantity: &'static str,
        /// The amount before. `u64::MAX` for an unbounded stack.
        from: u64,
        /// The amount now. `u64::MAX` for an unbounded stack.
        to: u64,
        /// The occupancy of the declared launch before and now, if both are known.
        occupancy: Option<[f64; 2]>,
    },
    /// The kernel takes less of a resource than before.
    Shrank {
        /// The resource with its unit.
        quantity: &'static str,
        /// The amount before. `u64::MAX` for an unbounded stack.
        from: u64,
        /// The amount now. `u64::MAX` for an unbounded stack.
        to: u64,
        /// The occupancy of the declared launch before and now, if both are known.
        occupancy: Option<[f64; 2]>,
    },
    /// The occupancy of the declared launch fell, beyond the tolerance.
    OccupancyFell {
        /// The occupancy before. 0.0 for a launch that could not run.
        from: f64,
        /// The occupancy now. 0.0 for a launch that cannot run.
        to: f64,
    },
    /// The occupancy of the declared launch rose.
    OccupancyRose {
        /// The occupancy before. 0.0 for a launch that could not run.
        from: f64,
        /// The occupancy now. 0.0 for a launch that cannot run.
        to: f64,
    },
    /// The amount was known before and is unknown now, so growth would go unnoticed.
    Lost {
        /// The resource with its unit.
        quantity: &'static str,
    },
}

impl Difference {
    /// Returns whether the kernel became worse: it takes more of a resource, or its occupancy fell.
    pub fn is_regression(&self) -> bool {
        matches!(self.change, Change::Grew { .. } | Change::OccupancyFell { .. })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)?;
        if let Some(target) = self.target {
            write!(f, " for `{target}`")?;
        }
        match &self.change {
            Change::Added => f.write_str(" is new"),
            Change::Removed => f.write_str(" was removed"),
            Change::Grew { quantity, from, to, occupancy } => {
                write!(f, ": {quantity} grew from {} to {}{}", amount(*from), amount(*to), effect(*occupancy))
            }
            Change::Shrank { quantity, from, to, occupancy } => {
                write!(f, ": {quantity} shrank from {} to {}{}", amount(*from), amount(*to), effect(*occupancy))
            }
            Change::OccupancyFell { from, to } | Change::OccupancyRose { from, to } => {
                write!(f, ": {}", occupancy_change(*from, *to))
            }
            Change::Lost { quantity } => write!(f, ": {quantity} are no longer known"),
        }
    }
}

fn amount(number: u64) -> String {
    if number == u64::MAX { "unbounded".to_owned() } else { number.to_string() }
}

fn effect(occupancy: Option<[f64; 2]>) -> String {
    occupancy.map_or(String::new(), |[from, to]| format!("; {}", occupancy_change(from, to)))
}

fn occupancy_change(from: f64, to: f64) -> String {
    // Percent with at most two decimals.
    let percent = |occupancy: f64| format!("{}%", (occupancy * 1e4).round() / 1e2);
    let verb = match from.total_cmp(&to) {
        Ordering::Equal if to > 0.0 => return format!("occupancy stays at {}", percent(to)),
        Ordering::Equal => return "the launch still cannot run".to_owned(),
        _ if to <= 0.0 => return format!("the launch can no longer run; its occupancy was {}", percent(from)),
        _ if from <= 0.0 => return format!("the launch can run now; its occupancy is {}", percent(to)),
        Ordering::Greater => "fell",
        Ordering::Less => "rose",
    };
    format!("occupancy {verb} from {} to {}", percent(from), percent(to))
}

/// Returns the differences from `old` to `new`, by kernel and target: first its resources, then its occupancy.
///
/// Growth within the tolerance is not a difference, and amounts that were unknown before are not compared.
pub fn compare(old: &Baseline, new: &Baseline, tolerance: &Tolerance) -> Vec<Difference> {
    let keys: BTreeSet<&Key> = old.entries.keys().chain(new.entries.keys()).collect();
    let mut differences = Vec::new();
    for key in keys {
        let (entry, changes) = match (old.entries.get(key), new.entries.get(key)) {
            (Some(old), Some(new)) => (new, changes(old, new, tolerance)),
            (None, Some(new)) => (new, vec![Change::Added]),
            (Some(old), None) => (old, vec![Change::Removed]),
            (None, None) => continue,
        };
        differences.extend(changes.into_iter().map(|change| Difference {
            kernel: (*entry.image.name).to_owned(),
            name: entry.name.clone(),
            target: entry.image.target,
            change,
        }));
    }
    differences
}

/// A quantity, its amount in an entry, and its tolerance.
type Compared = (&'static str, fn(&Entry) -> Option<u64>, fn(&Tolerance) -> u32);

const COMPARED: [Compared; 6] = [
    ("registers", |entry| entry.image.registers.map(u64::from), |tolerance| tolerance.registers),
    (
        "bytes of static shared memory",
        |entry| entry.image.static_smem.map(u64::from),
        |tolerance| tolerance.static_smem,
    ),
    ("barriers", |entry| entry.image.barriers.map(u64::from), |tolerance| tolerance.barriers),
    ("bytes of stack", |entry| entry.image.stack.map(stack_bytes), |tolerance| tolerance.stack),
    (
        "bytes of spill stores",
        |entry| entry.image.spills.map(|spills| spills.stores.into()),
        |tolerance| tolerance.spills,
    ),
    (
        "bytes of spill loads",
        |entry| entry.image.spills.map(|spills| spills.loads.into()),
        |tolerance| tolerance.spills,
    ),
];

fn stack_bytes(stack: Stack) -> u64 {
    match stack {
        Stack::Bytes(bytes) => bytes.into(),
        Stack::Unbounded => u64::MAX,
    }
}

fn changes(old: &Entry, new: &Entry, tolerance: &Tolerance) -> Vec<Change> {
    let occupancy = old.occupancy.zip(new.occupancy).map(|(from, to)| [from, to]);
    let mut changes = Vec::new();
    for (quantity, of, tolerated) in COMPARED {
        match (of(old), of(new)) {
            (Some(from), Some(to)) if to > from.saturating_add(tolerated(tolerance).into()) => {
                changes.push(Change::Grew { quantity, from, to, occupancy });
            }
            (Some(from), Some(to)) if to < from => changes.push(Change::Shrank { quantity, from, to, occupancy }),
            (Some(_), None) => changes.push(Change::Lost { quantity }),
            _ => {}
        }
    }
    // Occupancies have four decimals; half of the last one is rounding.
    match occupancy {
        Some([from, to]) if to == 0.0 && from > 0.0 => changes.push(Change::OccupancyFell { from, to }),
        Some([from, to]) if from - to > tolerance.occupancy + 5e-5 => changes.push(Change::OccupancyFell { from, to }),
        Some([from, to]) if to - from > 5e-5 => changes.push(Change::OccupancyRose { from, to }),
        _ => {}
    }
    changes
}

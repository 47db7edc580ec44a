//! What was compared with what, how often, and what differed.

use crate::{Result, counted};
use std::collections::BTreeMap;
use std::fmt;

/// How many differences are printed.
const SHOWN: usize = 100;

/// What a number is compared with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reference {
    PtxasLog,
    NvlinkLog,
    CuobjdumpUsage,
    CuobjdumpElf,
    /// What we read in the cubin, which is compared itself.
    Cubin,
    /// What the source says.
    Source,
    /// The name of the target that was asked for.
    Request,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reference::PtxasLog => "ptxas -v",
            Reference::NvlinkLog => "nvlink -v",
            Reference::CuobjdumpUsage => "cuobjdump -res-usage",
            Reference::CuobjdumpElf => "cuobjdump -elf",
            Reference::Cubin => "the cubin",
            Reference::Source => "the source",
            Reference::Request => "what was asked for",
        })
    }
}

/// What of ours is compared: numbers of a reader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reader {
    Binary,
    Log,
    Usage,
    Ptx,
}

/// Comparisons of one number.
#[derive(Clone, Copy, Default)]
struct Count {
    all: u64,
    /// Of them such where there was something to tell: not 0, not absent.
    telling: u64,
}

#[derive(Default)]
pub(crate) struct Tally {
    counts: BTreeMap<(Reader, &'static str, Reference), Count>,
    images: BTreeMap<String, u64>,
    known: BTreeMap<&'static str, u64>,
    differences: Vec<String>,
}

impl Tally {
    /// Compares. `is_telling`: whether the answer could not be had by telling nothing.
    pub(crate) fn check<T: PartialEq + fmt::Debug>(
        &mut self,
        what: (Reader, &'static str, Reference),
        is_telling: bool,
        ours: &T,
        theirs: &T,
        place: &dyn fmt::Display,
    ) {
        let count = self.counts.entry(what).or_default();
        count.all += 1;
        count.telling += u64::from(is_telling);
        if ours != theirs {
            let (reader, quantity, reference) = what;
            self.difference(format!("{place}: {quantity} of {reader:?}: {ours:?}, {reference}: {theirs:?}"));
        }
    }

    pub(crate) fn difference(&mut self, difference: String) {
        self.differences.push(difference);
    }

    pub(crate) fn images(&mut self, kind: &str, count: usize) {
        *self.images.entry(kind.to_owned()).or_default() += count as u64;
    }

    pub(crate) fn known(&mut self, reason: &'static str) {
        *self.known.entry(reason).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Tally) {
        for (what, count) in other.counts {
            let sum = self.counts.entry(what).or_default();
            sum.all += count.all;
            sum.telling += count.telling;
        }
        for (kind, count) in other.images {
            *self.images.entry(kind).or_default() += count;
        }
        for (reason, count) in other.known {
            *self.known.entry(reason).or_default() += count;
        }
        self.differences.extend(other.differences);
    }

    /// Prints everything, and fails if anything differed or was not compared at all.
    pub(crate) fn verdict(&self, required: &[(Reader, &'static str, Reference)], kinds: &[&str]) -> Result<()> {
        println!("{:>8} kernel images of", "");
        for (kind, count) in &self.images {
            println!("{count:>8} {kind}");
        }
        println!("{:>8} {:>8} comparisons, and of them such with something to tell", "", "");
        for ((reader, what, reference), count) in &self.counts {
            let reader = format!("{reader:?}");
            println!("{:>8} {:>8} {reader:<7} {what:<16} against {reference}", count.all, count.telling);
        }
        println!("known exceptions:");
        for (reason, count) in &self.known {
            println!("{count:>8} {reason}");
        }
        for difference in self.differences.iter().take(SHOWN) {
            println!("DIFFERENCE {difference}");
        }
        let images: u64 = self.images.values().sum();
        println!("{images} kernel images, {}", counted(self.differences.len() as u64, "difference"));
        let mut failures = Vec::new();
        if !self.differences.is_empty() {
            failures.push(counted(self.differences.len() as u64, "difference"));
        }
        if images < super::LEAST_IMAGES {
            failures.push(format!("{images} kernel images are fewer than {}", super::LEAST_IMAGES));
        }
        for what in required {
            if self.counts.get(what).is_none_or(|count| count.telling == 0) {
                failures.push(format!("nothing was compared: {what:?}"));
            }
        }
        for kind in kinds {
            if !self.images.keys().any(|found| found.starts_with(kind)) {
                failures.push(format!("no kernel of {kind}"));
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(failures.join("; ").into()) }
    }
}

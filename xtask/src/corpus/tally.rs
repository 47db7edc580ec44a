//! Counts comparisons, and collects differences.

use crate::{Result, counted};
use std::collections::BTreeMap;
use std::fmt;

/// The maximum number of differences that are printed.
const MAX_SHOWN: usize = 100;

/// The source of the expected value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reference {
    PtxasLog,
    NvlinkLog,
    CuobjdumpUsage,
    CuobjdumpElf,
    /// The cubin as read by `occ-artifacts`, which is compared with the tools.
    Cubin,
    /// The source code.
    Source,
    /// The requested target.
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
            Reference::Request => "the request",
        })
    }
}

/// The reader whose values are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reader {
    Binary,
    Log,
    Usage,
    Ptx,
}

/// The comparisons of a quantity.
#[derive(Clone, Copy, Default)]
struct Count {
    all: u64,
    /// Those with a value that is present and not 0.
    nontrivial: u64,
}

#[derive(Default)]
pub(crate) struct Tally {
    counts: BTreeMap<(Reader, &'static str, Reference), Count>,
    images: BTreeMap<String, u64>,
    known: BTreeMap<&'static str, u64>,
    differences: Vec<String>,
}

impl Tally {
    /// Compares two values. `is_nontrivial` says whether the expected value is present and not 0.
    pub(crate) fn check<T: PartialEq + fmt::Debug>(
        &mut self,
        what: (Reader, &'static str, Reference),
        is_nontrivial: bool,
        ours: &T,
        theirs: &T,
        place: &dyn fmt::Display,
    ) {
        let count = self.counts.entry(what).or_default();
        count.all += 1;
        count.nontrivial += u64::from(is_nontrivial);
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
            sum.nontrivial += count.nontrivial;
        }
        for (kind, count) in other.images {
            *self.images.entry(kind).or_default() += count;
        }
        for (reason, count) in other.known {
            *self.known.entry(reason).or_default() += count;
        }
        self.differences.extend(other.differences);
    }

    /// Prints the counts and differences.
    ///
    /// # Errors
    ///
    /// Returns an error if a value differs, or if a required comparison or kind is missing.
    pub(crate) fn verdict(&self, required: &[(Reader, &'static str, Reference)], kinds: &[&str]) -> Result<()> {
        println!("{:>8} kernel images of", "");
        for (kind, count) in &self.images {
            println!("{count:>8} {kind}");
        }
        println!("{:>8} {:>8} comparisons, and those with a value that is present and not 0", "", "");
        for ((reader, what, reference), count) in &self.counts {
            let reader = format!("{reader:?}");
            println!("{:>8} {:>8} {reader:<7} {what:<16} against {reference}", count.all, count.nontrivial);
        }
        println!("known exceptions:");
        for (reason, count) in &self.known {
            println!("{count:>8} {reason}");
        }
        for difference in self.differences.iter().take(MAX_SHOWN) {
            println!("DIFFERENCE {difference}");
        }
        let images: u64 = self.images.values().sum();
        println!("{images} kernel images, {}", counted(self.differences.len() as u64, "difference"));
        let mut failures = Vec::new();
        if !self.differences.is_empty() {
            failures.push(counted(self.differences.len() as u64, "difference"));
        }
        if images < super::MIN_IMAGES {
            failures.push(format!("{images} kernel images are fewer than {}", super::MIN_IMAGES));
        }
        for what in required {
            if self.counts.get(what).is_none_or(|count| count.nontrivial == 0) {
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

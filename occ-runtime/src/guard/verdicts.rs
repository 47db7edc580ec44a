//! The verdicts: a spec is checked once with a function, whoever asks at the same time.

use super::device::DeviceReport;
use super::error::LaunchError;
use super::grid::GridRule;
use super::waves::WaveLog;
use crate::driver::{Device, Function};
use crate::spec::LaunchSpec;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::vec::Vec;

/// Most functions that verdicts are kept of.
///
/// No driver tells that a function is gone. One whose handle is reused is noticed; for the others the map starts over when
/// it is full, and functions that are still launched are checked again.
const MAX_FUNCTIONS: usize = 4096;

/// Most specs that verdicts are kept of for one function.
const MAX_SPECS: usize = 256;

/// Verdicts that each thread has at hand.
const SLOTS: usize = 64;

/// What a verdict is about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) spec: &'a LaunchSpec,
    pub(super) function: Function,
    pub(super) device: Device,
    /// Whether the launches pass the spec's cluster to the driver.
    pub(super) passes_cluster: bool,
}

/// What tells a function from another one at the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Blocks per SM by the driver.
    pub(super) blocks_per_sm: u32,
    /// Registers per thread.
    pub(super) registers: u32,
}

/// The result of a check.
#[derive(Debug)]
pub(super) struct Checked {
    /// The function as it was checked; another one is not covered by the result.
    pub(super) fingerprint: Fingerprint,
    pub(super) result: Result<(), LaunchError>,
}

/// A spec with a function on a device, and the result of its check once there is one.
pub(super) struct Verdict {
    /// The [`Verdicts`] it belongs to.
    owner: u64,
    spec: LaunchSpec,
    function: Function,
    passes_cluster: bool,
    pub(super) device: Arc<DeviceReport>,
    pub(super) grid: GridRule,
    pub(super) waves: WaveLog,
    checked: OnceLock<Checked>,
    /// Held by the thread that checks.
    checking: Mutex<()>,
}

impl Verdict {
    #[inline]
    fn is_about(&self, subject: &Subject<'_>) -> bool {
        self.function == subject.function
            && self.device.device == subject.device
            && self.passes_cluster == subject.passes_cluster
            && self.spec.is_same(subject.spec)
    }

    /// Returns the driver's blocks per SM; 0 while it is not checked.
    pub(super) fn blocks_per_sm(&self) -> u32 {
        self.checked.get().map_or(0, |checked| checked.fingerprint.blocks_per_sm)
    }

    /// Returns the result of the check, if it was made.
    pub(super) fn checked(&self) -> Option<&Checked> {
        self.checked.get()
    }

    /// Runs the check if nobody has, and returns whether this call did. Waits for a check that is under way. One that
    /// fails or panics leaves no result: the next caller checks.
    pub(super) fn check_once<E>(&self, check: impl FnOnce() -> Result<Checked, E>) -> Result<bool, E> {
        let _turn = self.checking.lock().unwrap_or_else(PoisonError::into_inner);
        if self.checked.get().is_some() {
            return Ok(false);
        }
        Ok(self.checked.set(check()?).is_ok())
    }
}

type ByFunction = BTreeMap<(Function, Device), Vec<Arc<Verdict>>>;

/// All verdicts of a guard.
pub(super) struct Verdicts {
    id: LazyLock<u64>,
    by_function: Mutex<ByFunction>,
}

std::thread_local! {
    /// The verdicts that this thread used last: launching again takes no lock, and threads do not wait for each other.
    static RECENT: [Cell<Option<Arc<Verdict>>>; SLOTS] = const { [const { Cell::new(None) }; SLOTS] };
}

/// Returns where a thread keeps the verdict on a function with a spec.
#[inline]
fn slot(function: Function, spec: &LaunchSpec) -> usize {
    // Handles are addresses, whose lowest bits do not differ.
    let handle = function.to_raw().addr();
    (handle >> 4 ^ handle >> 12 ^ spec.shape().block[0] as usize >> 5) % SLOTS
}

impl Verdicts {
    pub(super) const fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Verdicts {
            id: LazyLock::new(|| NEXT.fetch_add(1, Ordering::Relaxed)),
            by_function: Mutex::new(BTreeMap::new()),
        }
    }

    /// Returns the verdict on `subject`, if there is one: that of this thread, which [`Verdicts::put_back`] gives back, or
    /// else that of another.
    #[inline]
    pub(super) fn take(&self, subject: &Subject<'_>) -> Option<Arc<Verdict>> {
        let slot = slot(subject.function, subject.spec);
        let recent = RECENT.try_with(|recent| recent[slot].take()).ok().flatten();
        match recent {
            Some(verdict) if verdict.owner == *self.id && verdict.is_about(subject) => Some(verdict),
            _ => self.find(subject),
        }
    }

    #[cold]
    fn find(&self, subject: &Subject<'_>) -> Option<Arc<Verdict>> {
        find(&self.lock(), subject)
    }

    /// Keeps a verdict at hand for the next launch of this thread.
    #[inline]
    pub(super) fn put_back(verdict: Arc<Verdict>) {
        let slot = slot(verdict.function, &verdict.spec);
        // A thread that is ending keeps nothing.
        let _ = RECENT.try_with(|recent| recent[slot].set(Some(verdict)));
    }

    /// Returns the verdict on `subject`, which is added if there is none.
    pub(super) fn find_or_add(&self, subject: &Subject<'_>, device: &Arc<DeviceReport>) -> Arc<Verdict> {
        let mut by_function = self.lock();
        if let Some(verdict) = find(&by_function, subject) {
            return verdict;
        }
        let Subject { spec, function, passes_cluster, .. } = *subject;
        let verdict = Arc::new(Verdict {
            owner: *self.id,
            spec: *spec,
            function,
            passes_cluster,
            grid: GridRule::new(spec, device),
            device: device.clone(),
            waves: WaveLog::new(),
            checked: OnceLock::new(),
            checking: Mutex::new(()),
        });
        if by_function.len() >= MAX_FUNCTIONS {
            by_function.clear();
        }
        let verdicts = by_function.entry((function, device.device)).or_default();
        if verdicts.len() >= MAX_SPECS {
            verdicts.clear();
        }
        verdicts.push(verdict.clone());
        verdict
    }

    /// Drops every verdict on the function of `verdict`, which is gone: its handle is another function's.
    pub(super) fn forget(&self, verdict: &Arc<Verdict>) {
        let mut by_function = self.lock();
        let key = (verdict.function, verdict.device.device);
        // Another thread may have replaced it already.
        if by_function.get(&key).is_some_and(|verdicts| verdicts.iter().any(|other| Arc::ptr_eq(other, verdict))) {
            by_function.remove(&key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, ByFunction> {
        self.by_function.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(by_function: &ByFunction, subject: &Subject<'_>) -> Option<Arc<Verdict>> {
    let verdicts = by_function.get(&(subject.function, subject.device))?;
    verdicts.iter().find(|verdict| verdict.is_about(subject)).cloned()
}

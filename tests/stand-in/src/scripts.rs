//! The script of each driver function, which it follows first. Reading one takes no lock, so that unscripted calls stay
//! cheap.

use crate::exports::{Call, NAMES};
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

/// A driver function's count of calls, scripted code and scripted delay.
#[derive(Default)]
struct Script {
    calls: AtomicU64,
    code: AtomicI32,
    nanoseconds: AtomicU64,
}

/// A script for every driver function.
pub(crate) struct Scripts(Box<[Script]>);

impl Scripts {
    pub(crate) fn new() -> Self {
        Scripts(NAMES.iter().map(|_| Script::default()).collect())
    }

    /// Counts a call, waits for the scripted delay, and returns the scripted code.
    #[inline]
    pub(crate) fn enter(&self, call: Call) -> c_int {
        let script = &self.0[call as usize];
        script.calls.fetch_add(1, Ordering::Relaxed);
        let nanoseconds = script.nanoseconds.load(Ordering::Relaxed);
        if nanoseconds != 0 {
            std::thread::sleep(Duration::from_nanos(nanoseconds));
        }
        script.code.load(Ordering::Relaxed)
    }

    fn named(&self, call: &str) -> &Script {
        let place = NAMES.iter().position(|name| *name == call);
        &self.0[place.unwrap_or_else(|| panic!("the stand-in has no driver function `{call}`"))]
    }

    pub(crate) fn fail(&self, call: &str, code: i32) {
        self.named(call).code.store(code, Ordering::Relaxed);
    }

    pub(crate) fn delay(&self, call: &str, delay: Duration) {
        let nanoseconds = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
        self.named(call).nanoseconds.store(nanoseconds, Ordering::Relaxed);
    }

    pub(crate) fn calls(&self, call: &str) -> u64 {
        self.named(call).calls.load(Ordering::Relaxed)
    }

    pub(crate) fn all_calls(&self) -> u64 {
        self.0.iter().map(|script| script.calls.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn count_anew(&self) {
        self.0.iter().for_each(|script| script.calls.store(0, Ordering::Relaxed));
    }

    pub(crate) fn reset(&self) {
        self.count_anew();
        for script in &self.0 {
            script.code.store(0, Ordering::Relaxed);
            script.nanoseconds.store(0, Ordering::Relaxed);
        }
    }
}

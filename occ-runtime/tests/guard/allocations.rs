//! What a launch allocates after the first: nothing. And what is kept of functions at one handle: as much as of one.

#![allow(unsafe_code, reason = "an allocator that counts")]

use crate::logged::logged;
use crate::recorded::FunctionDouble;
use crate::*;
use occ_runtime::{Carveout, OnMismatch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// Allocations of this thread, and bytes it holds more than it has given back.
    static COUNT: Cell<(u64, i64)> = const { Cell::new((0, 0)) };
}

fn count(allocations: u64, bytes: i64) {
    // Nothing is counted of a thread that is ending.
    let _ = COUNT.try_with(|count| count.set((count.get().0 + allocations, count.get().1 + bytes)));
}

// SAFETY: everything is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size().cast_signed() as i64);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size().cast_signed() as i64));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations while something runs, and bytes that are left of it.
fn counted(run: impl FnOnce()) -> (u64, i64) {
    let (allocations, bytes) = COUNT.get();
    run();
    (COUNT.get().0 - allocations, COUNT.get().1 - bytes)
}

#[test]
fn none_after_the_first() {
    let launch = Launch::new(256).dynamic_smem(49_153).cluster([16, 1, 1]).carveout(Carveout::PreferShared);
    let demanding = LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch).log_waves();
    let function = FunctionDouble::new(32).cluster([16, 1, 1]).listed(&[[256, 49_153, 4]]);
    let (guard, k) = guard_of(device(H100), function);
    let many = times(1000);
    for spec in [demanding, demanding.on_mismatch(OnMismatch::Warn), demanding.on_mismatch(OnMismatch::Ignore)] {
        let bound = guard.bind(&spec, k, true).unwrap();
        let launched = Launched::of(&spec, [1600, 1, 1]);
        let launch = || {
            guard.admit(&spec, k, &launched).unwrap();
            bound.admit([1600, 1, 1]).unwrap();
        };
        launch();
        assert_eq!(counted(|| (0..many).for_each(|_| launch())), (0, 0), "{:?}", spec.mismatch());
    }
    assert_eq!(counted(|| drop(Box::new(1))).0, 1, "the counter counts");
}

#[test]
fn nothing_is_kept_of_functions_that_are_gone() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let alternate = |rounds: usize| {
        for _ in 0..rounds {
            for (registers, passes) in [(40, true), (168, false), (64, true)] {
                guard.driver().load(0, 0x1000, FunctionDouble::new(registers));
                let (result, _) = logged(|| admit(&guard, &HALF, k));
                assert_eq!(result.is_ok(), passes);
            }
        }
    };
    alternate(2);
    assert_eq!(counted(|| alternate(times(1000))).1, 0);
    // Nor of launches that are refused or failed.
    guard.driver().load(0, 0x1000, FunctionDouble::new(168));
    let refused = || assert!(admit(&guard, &HALF, k).is_err());
    refused();
    assert_eq!(counted(|| (0..times(1000)).for_each(|_| refused())).1, 0);
}

/// Handles that are never reused, and specs made while the program runs: no driver tells that they are gone.
#[test]
fn what_is_kept_is_bounded() {
    let guard = Guard::new(Recorded::new([device(A100)]));
    let of_functions = |handles: std::ops::Range<usize>| {
        for handle in handles {
            let k = guard.driver().load(0, 0x1000 + handle * 0x40, FunctionDouble::new(40));
            admit(&guard, &HALF, k).unwrap();
            guard.driver().unload(0, k);
        }
    };
    let most = if cfg!(miri) { 8 } else { 4096 };
    let (_, first) = counted(|| of_functions(0..most));
    let (_, rest) = counted(|| of_functions(most..4 * most));
    assert!(cfg!(miri) || rest < first, "{first} bytes of {most} functions, {rest} more of three times as many");

    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40).always(4));
    let of_specs = |bytes: std::ops::Range<u32>| {
        for bytes in bytes {
            let launch = Launch::new(256).dynamic_smem(bytes);
            admit(&guard, &LaunchSpec::new("k", SM_80, Kernel::new().registers(40), launch), k).unwrap();
        }
    };
    let most = if cfg!(miri) { 8 } else { 256 };
    let (_, first) = counted(|| of_specs(0..most));
    let (_, rest) = counted(|| of_specs(most..9 * most));
    assert!(cfg!(miri) || rest < first, "{first} bytes of {most} specs, {rest} more of eight times as many");
}

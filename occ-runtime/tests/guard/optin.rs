//! The opt-in for more shared memory, and the other attributes that are raised.

use crate::recorded::{FunctionDouble, SET_ATTRIBUTE, Set};
use crate::*;
use occ_runtime::driver::DriverError;
use occ_runtime::guard::Prepared;
use occ_runtime::{Carveout, Mismatch, OnMismatch, Refusal};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

fn spec(bytes: u32) -> LaunchSpec {
    LaunchSpec::new("k", SM_80, Kernel::new().registers(32), Launch::new(256).dynamic_smem(bytes))
}

#[test]
fn only_ever_raised() {
    let sizes: Vec<u32> = (0..16).map(|at| 49_153 + (at * 7 % 16) * 7_000).collect();
    let most = *sizes.iter().max().unwrap();
    for round in 0..times(40) {
        let (guard, k) = guard_of(device(A100), FunctionDouble::new(32).always(1));
        if round % 2 == 0 {
            guard.driver().script(|call| {
                if call.attribute == Some(8) {
                    thread::sleep(Duration::from_micros(50));
                }
                Ok(())
            });
        }
        let threads = if cfg!(miri) { 4 } else { 16 };
        let start = Barrier::new(threads);
        thread::scope(|scope| {
            for bytes in sizes.iter().take(threads) {
                let (start, guard) = (&start, &guard);
                scope.spawn(move || {
                    start.wait();
                    assert!(admit(guard, &spec(*bytes), k).is_ok());
                    // Whoever may launch finds room for it.
                    assert!(guard.driver().attribute(k, 8) >= bytes.cast_signed());
                });
            }
        });
        let sets = guard.driver().sets();
        assert!(!sets.is_empty() && sets.iter().all(|set| set.is_done && set.value > set.before), "{sets:?}");
        assert!(cfg!(miri) || guard.driver().attribute(k, 8) == most.cast_signed());
    }
}

#[test]
fn not_where_it_is_not_needed() {
    for (bytes, most) in [(0, 49_152), (49_152, 49_152), (55_978, 60_000)] {
        let (guard, k) = guard_of(device(A100), FunctionDouble::new(32).with(8, most));
        let report = guard.report(&spec(bytes), k).unwrap();
        assert_eq!(report.prepared, Prepared::default(), "{bytes}");
        assert_eq!(guard.driver().calls(SET_ATTRIBUTE), 0, "{bytes}");
    }
}

/// Static shared memory counts: 48 KiB are for both together.
#[test]
fn beside_static_shared_memory() {
    let declared = Kernel::new().registers(32).static_smem(16);
    let spec = LaunchSpec::new("k", SM_80, declared, Launch::new(256).dynamic_smem(49_137));
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(32).static_smem(16));
    assert!(admit(&guard, &spec, k).is_ok());
    assert_eq!(
        guard.driver().sets(),
        [Set { function: k, attribute: 8, before: 49_136, value: 49_137, is_done: true }]
    );
}

#[test]
fn refused_by_the_driver() {
    // More than 8.6 has: the driver says that the value is none it takes, and the launch is refused for what it is.
    let (guard, k) = guard_of(device(RTX_3090), FunctionDouble::new(32));
    let error = admit(&guard, &spec(166_912), k).unwrap_err();
    let refusal = Refusal::SharedMemory { bytes: 166_912, most: 101_376 };
    assert_eq!(error.mismatch(), Some(&Mismatch::CannotRun { refusal }));
    assert_eq!(error.cuda_code(), 1);
    assert_eq!(guard.driver().attribute(k, 8), 49_152);
    // Other codes are failures of the call.
    for code in [2, 225, 912, 100_000] {
        let (guard, k) = guard_of(device(A100), FunctionDouble::new(32));
        guard.driver().fail(SET_ATTRIBUTE, code);
        let error = admit(&guard, &spec(55_978), k).unwrap_err();
        let LaunchError::Driver { error: DriverError { call: SET_ATTRIBUTE, code: found }, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(found, code);
        guard.driver().recover();
        assert!(admit(&guard, &spec(55_978), k).is_ok(), "{code}");
    }
}

/// A function that is launched on its own device's terms: the attribute belongs to the function, not to the guard.
#[test]
fn of_two_guards_on_one_function() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(32).always(1));
    assert!(admit(&guard, &spec(100_000), k).is_ok());
    assert!(admit(&guard, &spec(60_000), k).is_ok());
    assert_eq!(guard.driver().attribute(k, 8), 100_000);
    assert_eq!(guard.driver().sets().len(), 1);
}

#[test]
fn clusters_and_carve_outs() {
    let of = |cluster, carveout| {
        let launch = with_cluster(Launch::new(256).carveout(carveout), cluster);
        LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch)
    };
    let sets = |spec: &LaunchSpec, function: FunctionDouble| {
        let (guard, k) = guard_of(device(H100), function.always(8));
        let result = admit(&guard, spec, k);
        let sets: Vec<_> = guard.driver().sets().iter().map(|set| (set.attribute, set.value)).collect();
        (result.is_ok(), sets)
    };
    let function = || FunctionDouble::new(32);
    // Portable: up to 8 blocks.
    assert_eq!(sets(&of(Some([8, 1, 1]), Carveout::Default), function()), (true, vec![]));
    assert_eq!(sets(&of(Some([4, 4, 1]), Carveout::Default), function()), (true, vec![(14, 1)]));
    assert_eq!(sets(&of(Some([4, 4, 1]), Carveout::Default), function().with(14, 1)), (true, vec![]));
    for (carveout, percent) in [
        (Carveout::Percent(0), 0),
        (Carveout::Percent(33), 33),
        (Carveout::PreferL1, 0),
        (Carveout::PreferEqual, 50),
        (Carveout::PreferShared, 100),
    ] {
        assert_eq!(sets(&of(None, carveout), function()), (true, vec![(9, percent)]));
        // A preference that somebody has set is not set again.
        assert_eq!(sets(&of(None, carveout), function().with(9, 75)), (true, vec![]));
    }
    // A driver that knows none of these.
    let old = function().without(&[8, 9, 10, 11, 12, 13, 14]);
    let ignored = of(Some([4, 4, 1]), Carveout::PreferShared).on_mismatch(OnMismatch::Ignore);
    assert!(sets(&ignored, old).0);
}

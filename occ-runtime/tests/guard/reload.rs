//! Handles that are given to another function, and devices that change.

use crate::recorded::{FunctionDouble, switch_to};
use crate::*;
use std::thread;

#[test]
fn another_function_at_the_same_handle() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    assert!(admit(&guard, &HALF, k).is_ok());
    guard.driver().load(0, 0x1000, FunctionDouble::new(168));
    let error = admit(&guard, &HALF, k).unwrap_err();
    assert!(matches!(error.mismatch(), Some(occ_runtime::Mismatch::Occupancy { registers: 168, .. })), "{error}");
    guard.driver().load(0, 0x1000, FunctionDouble::new(129));
    assert!(admit(&guard, &HALF, k).is_err());
    guard.driver().load(0, 0x1000, FunctionDouble::new(64));
    assert!(admit(&guard, &HALF, k).is_ok());
}

/// A function without the opt-in, in the place of one that had it: the driver holds none of its blocks until it is raised.
#[test]
fn the_opt_in_of_another_function() {
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(32), Launch::new(256).dynamic_smem(55_978));
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(32));
    assert!(admit(&guard, &spec, k).is_ok());
    guard.driver().load(0, 0x1000, FunctionDouble::new(32));
    assert!(admit(&guard, &spec, k).is_ok());
    assert_eq!(guard.driver().attribute(k, 8), 55_978);
}

#[test]
fn the_same_handle_on_another_device() {
    let driver = Recorded::new([device(A100), device(RTX_3090)]);
    let k = driver.load(0, 0x1000, FunctionDouble::new(40));
    // Two blocks of 8 warps of 48: less than half.
    driver.load(1, 0x1000, FunctionDouble::new(128));
    let guard = Guard::new(driver);
    let on = |device, passes| {
        switch_to(device);
        assert_eq!(admit(&guard, &HALF, k).is_ok(), passes, "{device}");
        switch_to(0);
    };
    thread::scope(|scope| {
        for at in 0..8 {
            let on = &on;
            scope.spawn(move || {
                for round in 0..times(100) {
                    let other = (at + round) % 2 == 1;
                    on(i32::from(other), !other);
                }
            });
        }
    });
    assert_eq!(guard.driver().checks(), 2);
    // Of a device that there is none of, the driver says so.
    switch_to(7);
    let error = admit(&guard, &HALF, k).unwrap_err();
    switch_to(0);
    assert_eq!(error.cuda_code(), 101);
}

/// Many threads on a handle that changes between two functions all the time: whoever sees the one or the other gets its
/// verdict, and none that was never given.
#[test]
fn a_handle_that_changes_under_threads() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let guard = &guard;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for _ in 0..times(500) {
                    match admit(guard, &HALF, k) {
                        Ok(()) => {}
                        Err(LaunchError::Refused(refused)) => {
                            let reason = refused.reason().unwrap();
                            assert!(matches!(reason, occ_runtime::Mismatch::Occupancy { .. }), "{reason:?}");
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        for round in 0..times(500) {
            guard.driver().load(0, 0x1000, FunctionDouble::new(if round % 2 == 0 { 168 } else { 40 }));
            thread::yield_now();
        }
    });
    for (registers, passes) in [(40, true), (168, false), (40, true)] {
        guard.driver().load(0, 0x1000, FunctionDouble::new(registers));
        assert_eq!(admit(guard, &HALF, k).is_ok(), passes);
    }
}

/// A function with as many blocks and other registers is another function; one that is alike in both keeps the verdict,
/// which is then the same.
#[test]
fn another_function_with_as_many_blocks() {
    // The header holds 8 blocks of either.
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(24), Launch::new(256));
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(24));
    assert!(admit(&guard, &spec, k).is_ok());
    guard.driver().load(0, 0x1000, FunctionDouble::new(32));
    guard.driver().count_anew();
    assert!(admit(&guard, &spec, k).is_ok());
    assert_eq!(guard.driver().checks(), 1);
    guard.driver().load(0, 0x1000, FunctionDouble::new(32));
    assert!(admit(&guard, &spec, k).is_ok());
    assert_eq!(guard.driver().checks(), 1);
}

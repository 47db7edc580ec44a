//! Answers that make no sense, specs that nobody should write, and drivers that panic or call back.

use crate::logged::logged;
use crate::recorded::{CALLS, FunctionDouble};
use crate::*;
use occ_runtime::driver::{DeviceAttribute, FunctionAttribute};
use occ_runtime::{Carveout, Mismatch, OnMismatch};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

const NUMBERS: [i32; 9] = [i32::MIN, -1, 0, 1, 2, 31, 33, 65_537, i32::MAX];

/// A launch that reads, raises and asks everything, and requires something.
fn everything() -> LaunchSpec {
    let launch = Launch::new(256).dynamic_smem(49_153).cluster([16, 1, 1]).carveout(Carveout::PreferShared);
    LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch)
        .require(Requirement::new().min_occupancy(0.5).min_blocks_per_sm(2).min_warps_per_sm(9))
        .log_waves()
}

/// Everything that can be done with a spec and a function; what comes of it can be told.
fn try_all(spec: &LaunchSpec, device: &DeviceDouble, function: &FunctionDouble) {
    logged(|| {
        for mode in [OnMismatch::Error, OnMismatch::Warn, OnMismatch::Ignore] {
            let spec = spec.on_mismatch(mode);
            let (guard, k) = guard_of(device.clone(), function.clone());
            for grid in [[0; 3], [1; 3], [16, 1, 1], [u32::MAX; 3]] {
                let launched = Launched::of(&spec, grid);
                for launched in [launched, Launched { cluster: None, ..launched }] {
                    if let Err(error) = guard.admit(&spec, k, &launched) {
                        assert!(mode == OnMismatch::Error && !error.to_string().is_empty(), "{mode:?}: {error}");
                        let _ = (error.cuda_code(), error.mismatch());
                    }
                }
            }
            if let Ok(bound) = guard.bind(&spec, k, true) {
                for grid in [[0; 3], [1; 3], [u32::MAX; 3]] {
                    let _ = (bound.admit(grid), bound.waves(grid).map(|waves| (waves.tail_idle(), waves.slots())));
                }
            }
            if let Ok(report) = guard.report(&spec, k) {
                assert!(!report.to_string().is_empty() && report.occupancy() >= 0.0);
            }
        }
    });
}

#[test]
fn attributes_of_a_device() {
    let function = FunctionDouble::new(32).listed(&[[256, 49_153, 1]]);
    for attribute in DeviceAttribute::ALL {
        for number in NUMBERS {
            try_all(&everything(), &device(H100).with(attribute.number(), number), &function);
        }
    }
    // All of them at once.
    for number in NUMBERS {
        let mut all = device(H100);
        all.attributes
            .iter_mut()
            .filter(|(attribute, _)| ![75, 76].contains(*attribute))
            .for_each(|(_, value)| *value = number);
        for blocks in [0, 1, 7, u32::MAX] {
            try_all(&everything(), &all, &FunctionDouble::new(32).always(blocks));
        }
        let nothing_known = all.with(75, number).with(76, number);
        try_all(&everything(), &nothing_known, &FunctionDouble::new(32).always(3));
    }
}

#[test]
fn attributes_of_a_function() {
    for attribute in FunctionAttribute::ALL {
        for number in NUMBERS {
            for blocks in [0, 1, 7, u32::MAX] {
                try_all(
                    &everything(),
                    &device(H100),
                    &FunctionDouble::new(32).with(attribute.number(), number).always(blocks),
                );
            }
        }
    }
    for number in NUMBERS {
        let mut all = FunctionDouble::new(32).always(u32::MAX).clusters(Ok(u32::MAX));
        all.attributes.values_mut().for_each(|value| *value = number);
        try_all(&everything(), &device(H100), &all);
        try_all(&HALF, &device(A100), &all);
    }
}

/// A limit that is negative is none: it is 0 where it is needed, and the table's where an older driver would not know it.
#[test]
fn negative_numbers() {
    let (guard, k) = guard_of(device(A100).with(106, -1).with(111, i32::MIN).with(97, -7), FunctionDouble::new(40));
    let report = guard.report(&HALF, k).unwrap();
    assert_eq!(report.findings, []);
    let (guard, k) = guard_of(device(A100).with(10, 0).with(5, -1), FunctionDouble::new(40));
    assert_eq!(guard.report(&HALF, k).unwrap().device.warp_size.get(), 32);
    assert!(admit(&guard, &HALF, k).is_err(), "no grid fits into nothing");
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40).with(8, -1).always(6));
    assert_eq!(guard.report(&HALF, k).unwrap().findings, []);
}

/// As the attribute leaves it where the launch was wrong and has been reported; and with numbers that no build passes.
#[test]
fn specs_that_nobody_should_write() {
    let function = FunctionDouble::new(40).always(4);
    let nowhere = occ_runtime::__private::unchecked_spec("k");
    try_all(&nowhere, &device(A100), &function);
    let (guard, k) = guard_of(device(A100), function.clone());
    let report = guard.report(&nowhere, k).unwrap();
    let capability = Mismatch::Capability { declared: &[], found: [8, 0] };
    let said = report.findings.iter().find(|finding| finding.mismatch == capability).unwrap().mismatch.to_string();
    assert_eq!(said, "checked for no capability; launched on sm_80");

    let axes = [[u32::MAX; 3], [0; 3], [u32::MAX, 1, 1], [1, 1, u32::MAX]];
    let requirements = [
        Requirement::new(),
        Requirement::new().min_occupancy(f64::MAX),
        Requirement::new().min_occupancy(f64::NAN),
        Requirement::new().min_occupancy(-1.0),
        Requirement::new().min_blocks_per_sm(u32::MAX),
        Requirement::new().min_warps_per_sm(u32::MAX),
        Requirement::new().min_waves(f64::INFINITY).max_tail_idle(-0.0),
    ];
    for block in axes {
        for cluster in [None, Some([u32::MAX; 3]), Some([0; 3])] {
            for requirement in requirements {
                let launch = with_cluster(Launch::block(block).dynamic_smem(u32::MAX), cluster);
                for (launch, kernel) in [
                    (launch, Kernel::new().registers(u32::MAX).static_smem(u32::MAX).barriers(u32::MAX)),
                    (launch.carveout(Carveout::Percent(255)), Kernel::new().registers(0).barriers(0)),
                    (launch.dynamic_smem(0), Kernel::new()),
                ] {
                    let of_spec = OnMismatch::Error;
                    let spec =
                        occ_runtime::__private::spec("k", SM_90, &[], kernel, false, launch, requirement, of_spec);
                    for blocks in [0, 1, u32::MAX] {
                        try_all(&spec.log_waves(), &device(H100), &function.clone().always(blocks));
                    }
                }
            }
        }
    }
}

/// A driver that panics at any call of a check: nothing is poisoned, and the launches after it are checked.
#[test]
fn a_driver_that_panics() {
    let spec = everything().require(Requirement::new().min_occupancy(0.1));
    let function = || FunctionDouble::new(32).cluster([16, 1, 1]).listed(&[[256, 49_153, 4]]);
    let (guard, k) = guard_of(device(H100), function());
    admit(&guard, &spec, k).unwrap();
    let calls = guard.driver().all_calls();
    for at in 1..=calls {
        let (guard, k) = guard_of(device(H100), function());
        let count = AtomicUsize::new(0);
        guard.driver().script(move |_| {
            if count.fetch_add(1, SeqCst) + 1 == at {
                // Without a message for each.
                resume_unwind(Box::new("the driver is at its end"));
            }
            Ok(())
        });
        let panicked = catch_unwind(AssertUnwindSafe(|| admit(&guard, &spec, k))).is_err();
        assert!(panicked, "{at}");
        assert!(admit(&guard, &spec, k).is_ok(), "{at}");
        assert!(guard.bind(&spec, k, true).is_ok(), "{at}");
        // Another thread waited for the check that panicked.
        let (guard, k) = guard_of(device(H100), function());
        let count = AtomicUsize::new(0);
        guard.driver().script(move |_| {
            if count.fetch_add(1, SeqCst) + 1 == at {
                // Without a message for each.
                resume_unwind(Box::new("the driver is at its end"));
            }
            thread::yield_now();
            Ok(())
        });
        let guard = &guard;
        thread::scope(|scope| {
            let others =
                [(); 3].map(|()| scope.spawn(move || catch_unwind(AssertUnwindSafe(|| admit(guard, &spec, k)))));
            let outcomes = others.map(|other| other.join().unwrap());
            assert!(outcomes.iter().filter(|outcome| outcome.is_err()).count() == 1, "{at}");
            assert!(outcomes.into_iter().flatten().all(|result| result.is_ok()), "{at}");
        });
    }
}

/// A driver that launches something of its own on the way, under the same guard.
#[test]
fn a_driver_that_calls_back() {
    static GUARD: OnceLock<Guard<Recorded>> = OnceLock::new();
    thread_local! {
        static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    }
    for name in CALLS {
        let guard = GUARD.get_or_init(|| Guard::new(Recorded::new([device(H100)])));
        let spec = LaunchSpec::new(name, SM_90, Kernel::new().registers(40), Launch::new(256).cluster([2, 1, 1]));
        let k = guard.driver().load(0, 0x1000, FunctionDouble::new(40));
        let other = guard.driver().load(0, 0x2000, FunctionDouble::new(40));
        guard.driver().script(move |call| {
            if call.name == name && !IS_INSIDE.replace(true) {
                let own = LaunchSpec::new("own", SM_90, Kernel::new().registers(40), Launch::new(256));
                let result = admit(GUARD.get().unwrap(), &own, other);
                IS_INSIDE.set(false);
                assert!(result.is_ok());
            }
            Ok(())
        });
        assert!(admit(guard, &spec, k).is_ok(), "{name}");
    }
}

/// A name is only text.
#[test]
fn names_of_devices() {
    for name in ["", "{}{:?}%s", "GPU\n  = help: nothing", "\u{202e}\0"] {
        let (guard, k) = guard_of(DeviceDouble { name: name.into(), ..device(A100) }, FunctionDouble::new(168));
        let text = admit(&guard, &HALF, k).unwrap_err().to_string();
        assert!(text.starts_with(&format!("`k` on {name} (sm_80): ")), "{text}");
    }
}

/// A driver whose answer is another one each time: each is checked, and no verdict is of an answer that was not given.
#[test]
fn a_driver_that_wavers() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    for round in 0..times(300) {
        let blocks = [6, 1, 0, 5, u32::MAX, 3][round % 6];
        guard.driver().load(0, 0x1000, FunctionDouble::new(40).always(blocks));
        let (result, _) = logged(|| admit(&guard, &HALF, k));
        assert_eq!(result.is_ok(), blocks >= 4, "{blocks}");
    }
}

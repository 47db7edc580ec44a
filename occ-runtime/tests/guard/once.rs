//! A check is made once: from many threads, of many functions, of what is refused; and how many calls it takes.

use crate::recorded::{BLOCKS, CALLS, CURRENT_DEVICE, FUNCTION_ATTRIBUTE, FunctionDouble};
use crate::*;
use occ_runtime::Carveout;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::Duration;

/// Threads that start together.
fn race(threads: usize, run: impl Fn(usize) + Sync) {
    let start = Barrier::new(threads);
    thread::scope(|scope| {
        for number in 0..threads {
            let (start, run) = (&start, &run);
            scope.spawn(move || {
                start.wait();
                run(number);
            });
        }
    });
}

const THREADS: usize = if cfg!(miri) { 3 } else { 64 };

#[test]
fn of_many_threads_one_checks() {
    for (registers, passes) in [(40, true), (168, false)] {
        for round in 0..times(20) {
            let (guard, k) = guard_of(device(A100), FunctionDouble::new(registers));
            let driver = guard.driver();
            if round % 2 == 0 {
                driver.script(|call| {
                    if call.name == FUNCTION_ATTRIBUTE {
                        thread::sleep(Duration::from_micros(200));
                    }
                    Ok(())
                });
            }
            race(THREADS, |_| {
                for _ in 0..3 {
                    assert_eq!(admit(&guard, &HALF, k).is_ok(), passes);
                }
            });
            assert_eq!(driver.checks(), 1, "{registers}");
        }
    }
}

/// Everything different is checked by itself, at the same time.
#[test]
fn different_ones_do_not_wait_for_each_other() {
    let driver = Recorded::new([device(A100)]);
    let functions: Vec<_> = (0..4).map(|at| driver.load(0, 0x1000 + at * 64, FunctionDouble::new(40))).collect();
    let names = ["a", "b", "c", "d"];
    let specs = names.map(|name| LaunchSpec::new(name, SM_80, Kernel::new().registers(40), Launch::new(256)));
    let guard = Guard::new(driver);
    race(THREADS, |number| {
        let (spec, function) = (&specs[number % 4], functions[number / 4 % 4]);
        assert!(admit(&guard, spec, function).is_ok());
    });
    let pairs = if cfg!(miri) { 3 } else { 16 };
    assert_eq!(guard.driver().checks(), pairs);

    // While one check waits in the driver, others are made, and what was checked is launched.
    let other = functions[0];
    let waiting = guard.driver().load(0, 0x9000, FunctionDouble::new(40));
    let bound = guard.bind(&specs[0], other, false).unwrap();
    let (inside, is_inside) = mpsc::channel();
    let release = Arc::new(AtomicBool::new(false));
    let slow = {
        let (inside, release) = (std::sync::Mutex::new(inside), release.clone());
        move |call: recorded::Call| {
            if thread::current().name() == Some("slow") && call.name == FUNCTION_ATTRIBUTE {
                let _ = inside.lock().unwrap().send(());
                while !release.load(SeqCst) {
                    thread::yield_now();
                }
            }
            Ok(())
        }
    };
    guard.driver().script(slow);
    let guard = &guard;
    let spec = specs[0];
    thread::scope(|scope| {
        let slow = thread::Builder::new().name("slow".into());
        let slow = slow.spawn_scoped(scope, move || admit(guard, &spec, waiting).is_ok()).unwrap();
        is_inside.recv().unwrap();
        let unlike = guard.driver().load(0, 0xa000, FunctionDouble::new(40));
        assert!(admit(guard, &spec, other).is_ok(), "checked before");
        assert!(admit(guard, &spec, unlike).is_ok(), "checked now");
        assert!(bound.admit([1, 1, 1]).is_ok());
        assert!(!slow.is_finished());
        release.store(true, SeqCst);
        assert!(slow.join().unwrap());
    });
}

/// A first check with everything there is to read, raise and ask.
#[test]
fn few_calls_and_then_three() {
    let launch = Launch::new(256).dynamic_smem(49_153).cluster([16, 1, 1]).carveout(Carveout::PreferShared);
    let spec = LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch);
    let function = FunctionDouble::new(32).cluster([16, 1, 1]).listed(&[[256, 49_153, 4]]);
    let (guard, k) = guard_of(device(H100), function);
    let driver = guard.driver();
    let bound = guard.bind(&spec, k, true).unwrap();
    assert!(driver.all_calls() <= 40, "{}", driver.all_calls());
    assert_eq!(driver.sets().len(), 3);
    driver.count_anew();
    for _ in 0..times(1000) {
        bound.admit([16, 1, 1]).unwrap();
        assert!(bound.admit([0, 1, 1]).is_err() && bound.admit([8, 1, 1]).is_err());
    }
    assert_eq!(driver.all_calls(), 0);
    for _ in 0..100 {
        admit(&guard, &spec, k).unwrap();
    }
    assert_eq!(
        CALLS.map(|call| (call, driver.calls(call))).into_iter().filter(|(_, calls)| *calls > 0).collect::<Vec<_>>(),
        [(CURRENT_DEVICE, 100), (FUNCTION_ATTRIBUTE, 100), (BLOCKS, 100)]
    );
    // The device is known: what is left is the function's.
    let other = driver.load(0, 0x2000, FunctionDouble::new(32).cluster([16, 1, 1]).listed(&[[256, 49_153, 4]]));
    driver.count_anew();
    admit(&guard, &spec, other).unwrap();
    assert!(driver.all_calls() <= 19, "{}", driver.all_calls());
}

/// A verdict of one mode is none of another, which may say something else; nor of a spec that requires more.
#[test]
fn a_verdict_is_of_its_spec() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(65));
    assert!(admit(&guard, &HALF.on_mismatch(occ_runtime::OnMismatch::Warn), k).is_ok());
    assert!(admit(&guard, &HALF, k).is_err());
    let less = HALF.require(Requirement::new().min_occupancy(0.25));
    assert!(admit(&guard, &less, k).is_ok());
    assert!(admit(&guard, &HALF, k).is_err());
    // Copies of a spec, also of another place in memory, are the same.
    let copy = LaunchSpec::new(Box::leak(String::from("k").into_boxed_str()), SM_80, *HALF.kernel(), *HALF.shape());
    let copy = copy.require(*HALF.requirement());
    guard.driver().count_anew();
    assert!(admit(&guard, &copy, k).is_err());
    assert_eq!(guard.driver().checks(), 0);
}

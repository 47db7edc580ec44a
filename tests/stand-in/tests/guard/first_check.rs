//! The first check: made once, with few calls, however many threads ask for it.

use super::*;
use std::sync::Barrier;
use std::time::Duration;

/// Calls the guard once in each of so many threads, which all start at the same time.
fn race(threads: usize, body: impl Fn(usize) + Sync) {
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for number in 0..threads {
            let (start, body) = (&start, &body);
            scope.spawn(move || {
                let _context = Context::new(Device::get_device(0).unwrap()).unwrap();
                start.wait();
                body(number);
            });
        }
    });
}

#[test]
fn many_threads_check_once() {
    let _turn = with_devices([DeviceModel::a100()]);
    for (registers, passes) in [(40, true), (168, false)] {
        let (guard, k) = (guard(), function(KernelModel::new(registers)));
        let spec = spec(&[Arch::SM_80], Kernel::new().registers(40)).require(half());
        stand_in().delay("cuFuncGetAttribute", Duration::from_millis(1));
        stand_in().count_anew();
        race(64, |_| assert_eq!(admit(&guard, &spec, k).is_ok(), passes));
        // Once; and the device is read by the threads that came before it was known, of which there can be some.
        let blocks = stand_in().calls("cuOccupancyMaxActiveBlocksPerMultiprocessor");
        assert_eq!(stand_in().calls("cuFuncGetAttribute") - blocks, 7, "{registers}");
    }
}

#[test]
fn few_calls_and_then_none() {
    let mut device = DeviceModel::h100();
    device.active_clusters.insert(16, 8);
    let _turn = with_devices([device]);
    let guard = guard();
    let k = function(KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) });
    let launch =
        Launch::new(256).dynamic_smem(100 << 10).cluster([16, 1, 1]).carveout(occ_runtime::Carveout::Percent(100));
    let spec = LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), launch);
    stand_in().count_anew();
    let bound = guard.bind(&spec, k, true).unwrap();
    let first = stand_in().all_calls();
    // Everything there is to raise is raised here: it is the most calls a first check can make.
    assert!(first <= 40, "{first}");
    stand_in().count_anew();
    for _ in 0..100 {
        bound.admit([16, 1, 1]).unwrap();
    }
    assert_eq!(stand_in().all_calls(), 0);
    guard.admit(&spec, k, &Launched::of(&spec, [16, 1, 1])).unwrap();
    assert_eq!(stand_in().all_calls(), 3);
}

#[test]
fn an_ordinary_first_check_takes_at_most_40_calls() {
    let _turn = with_devices([DeviceModel::h100()]);
    let (guard, k) = (guard(), function(KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) }));
    let spec =
        LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), Launch::new(256).dynamic_smem(100 << 10));
    stand_in().count_anew();
    admit(&guard, &spec, k).unwrap();
    assert!(stand_in().all_calls() <= 40, "{}", stand_in().all_calls());
    // The device is known by now.
    let other = function(KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) });
    stand_in().count_anew();
    admit(&guard, &spec, other).unwrap();
    assert!(stand_in().all_calls() <= 18, "{}", stand_in().all_calls());
}

#[test]
fn the_opt_in_never_goes_down() {
    let _turn = with_devices([DeviceModel::h100()]);
    let sizes: Vec<u32> = (0..16).map(|at| (50 + (at * 7) % 16 * 10) << 10).collect();
    let answers = sizes.iter().map(|size| ([256, *size], 1)).collect();
    let (guard, k) = (guard(), function(KernelModel { answers, ..KernelModel::new(40) }));
    race(16, |number| {
        let launch = Launch::new(256).dynamic_smem(sizes[number]);
        let spec = LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), launch);
        for _ in 0..50 {
            admit(&guard, &spec, k).unwrap();
        }
    });
    let raised = stand_in().raised();
    assert!(raised.windows(2).all(|pair| pair[0] < pair[1]), "{raised:?}");
    assert_eq!(raised.last(), Some(&(200 << 10)));
}

//! `on_mismatch` and `OCC_RUNTIME`, and what goes to the log.

use super::*;
use log::{Level, Log, Metadata, Record};
use occ_runtime::OnMismatch;
use std::process::Command;

/// What was logged, by this program's only logger.
static LOGGED: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "occ_runtime"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            LOGGED.lock().unwrap().push((record.level(), record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

fn logged() -> Vec<(Level, String)> {
    let _ = log::set_logger(&Logger);
    log::set_max_level(log::LevelFilter::Trace);
    std::mem::take(&mut LOGGED.lock().unwrap())
}

const LEAN: LaunchSpec = LaunchSpec::new("k", &[Arch::SM_80], Kernel::new().registers(40), Launch::new(256));

#[test]
fn as_the_spec_says() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = LEAN.require(half());
    for (mode, registers, passes, level) in [
        (OnMismatch::Error, 40, true, Some(Level::Debug)),
        (OnMismatch::Error, 64, true, Some(Level::Warn)),
        (OnMismatch::Error, 168, false, None),
        (OnMismatch::Warn, 40, true, Some(Level::Debug)),
        (OnMismatch::Warn, 168, true, Some(Level::Warn)),
        (OnMismatch::Ignore, 168, true, None),
    ] {
        let (guard, k) = (guard(), function(KernelModel::new(registers)));
        logged();
        stand_in().count_anew();
        let spec = spec.on_mismatch(mode);
        for _ in 0..3 {
            assert_eq!(admit(&guard, &spec, k).is_ok(), passes, "{mode:?}, {registers}");
        }
        // Once, however often it is launched.
        let levels: Vec<Level> = logged().into_iter().map(|(level, _)| level).collect();
        assert_eq!(levels, Vec::from_iter(level), "{mode:?}, {registers}");
        if mode == OnMismatch::Ignore {
            assert_eq!(stand_in().all_calls(), 0, "nothing is asked that nobody wants to know");
        }
    }
}

#[test]
fn a_shape_that_differs() {
    let _turn = with_devices([DeviceModel::a100()]);
    let (guard, k) = (guard(), function(KernelModel::new(40)));
    for (mode, passes, lines) in
        [(OnMismatch::Error, false, 0), (OnMismatch::Warn, true, 2), (OnMismatch::Ignore, true, 0)]
    {
        let spec = LEAN.on_mismatch(mode);
        admit(&guard, &spec, k).unwrap();
        logged();
        let other = Launched { block: [128, 1, 1], ..Launched::of(&spec, [0, 1, 1]) };
        assert_eq!(guard.admit(&spec, k, &other).is_ok(), passes, "{mode:?}");
        assert_eq!(logged().len(), lines, "{mode:?}");
    }
}

/// Without checks there is still the opt-in: the launch would fail for it.
#[test]
fn the_opt_in_is_done_in_every_mode() {
    let _turn = with_devices([DeviceModel::h100()]);
    let k = function(KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) });
    let launch = Launch::new(256).dynamic_smem(100 << 10);
    let spec =
        LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), launch).on_mismatch(OnMismatch::Ignore);
    admit(&guard(), &spec, k).unwrap();
    assert_eq!(stand_in().raised(), [100 << 10]);
}

#[test]
fn lines() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = LEAN.require(half()).log_waves();
    logged();
    let guard = guard();
    admit(&guard, &spec, function(KernelModel::new(40))).unwrap();
    let bound = guard.bind(&spec, function(KernelModel::new(64)), false).unwrap();
    logged_are(&[
        (Level::Debug, "`k` on NVIDIA A100-SXM4-80GB (sm_80): as checked, 6 blocks per SM, occupancy 75.0%"),
        (Level::Info, "`k` on NVIDIA A100-SXM4-80GB (sm_80): 1 block over 648 slots make 0 full waves and a tail of 1 block, which leaves 99.8% of it idle"),
        (Level::Warn, "`k` on NVIDIA A100-SXM4-80GB (sm_80): the function has 64 registers per thread, 40 were declared
  = help: declare `registers = 64`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers itself"),
    ]);
    for grid in [[864, 1, 1], [864, 1, 1], [1000, 1, 1]] {
        bound.admit(grid).unwrap();
    }
    logged_are(&[
        (Level::Info, "`k` on NVIDIA A100-SXM4-80GB (sm_80): 864 blocks over 432 slots make 2 full waves"),
        (
            Level::Info,
            "`k` on NVIDIA A100-SXM4-80GB (sm_80): 1000 blocks over 432 slots make 2 full waves and a tail of 136 blocks, which leaves 68.5% of it idle",
        ),
    ]);
}

fn logged_are(expected: &[(Level, &str)]) {
    let logged = logged();
    let logged: Vec<(Level, &str)> = logged.iter().map(|(level, text)| (*level, text.as_str())).collect();
    assert_eq!(logged, expected);
}

/// What a child process with the variable says.
#[test]
fn as_the_environment_says() {
    for (value, said) in
        [("error", "refused"), ("warn", "passed, asked"), ("off", "passed"), ("nonsense", "refused"), ("", "refused")]
    {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "modes::child", "--nocapture", "--include-ignored"]).env("OCC_RUNTIME", value);
        let output = String::from_utf8(child.output().unwrap().stdout).unwrap();
        assert!(output.contains(&format!("[{said}]")), "{value}: {output}");
    }
}

#[test]
#[ignore = "a child of the test before"]
fn child() {
    let _turn = with_devices([DeviceModel::a100()]);
    let k = function(KernelModel::new(168));
    stand_in().count_anew();
    let passed = if admit(&guard(), &LEAN.require(half()), k).is_ok() { "passed" } else { "refused" };
    let asked = if passed == "passed" && stand_in().all_calls() > 0 { ", asked" } else { "" };
    println!("[{passed}{asked}]");
}

//! What goes to the log, by the thread that it comes from.

use crate::recorded::FunctionDouble;
use crate::*;
use log::{Level, Log, Metadata, Record};
use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static LINES: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("occ_runtime")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            LINES.with_borrow_mut(|lines| lines.push((record.level(), record.args().to_string())));
        }
    }

    fn flush(&self) {}
}

/// What this thread logs while something runs.
pub(crate) fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<(Level, String)>) {
    static SET: Once = Once::new();
    SET.call_once(|| {
        log::set_logger(&Logger).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
    });
    LINES.take();
    let result = run();
    (result, LINES.take())
}

/// The lines that the guide shows.
#[test]
fn the_lines_of_the_guide() {
    let device = DeviceDouble { name: "NVIDIA A100-SXM4-80GB".to_owned(), ..device(A100) };
    let spec = HALF.log_waves();
    let lines = |registers, grid| {
        let (guard, k) = guard_of(device.clone(), FunctionDouble::new(registers));
        let (result, mut lines) = logged(|| guard.admit(&spec, k, &Launched::of(&spec, grid)));
        lines.extend(result.err().map(|error| (Level::Error, error.to_string())));
        lines
    };
    let line = |(level, text): &(Level, &str)| (*level, format!("`k` on NVIDIA A100-SXM4-80GB (sm_80): {text}"));
    let are = |lines: Vec<(Level, String)>, expected: &[(Level, &str)]| {
        assert_eq!(lines, expected.iter().map(line).collect::<Vec<_>>());
    };
    are(
        lines(40, [1, 1, 1]),
        &[
            (Level::Debug, "as checked, 6 blocks per SM, occupancy 75.0%"),
            (
                Level::Info,
                "1 block over 648 slots (108 SMs × 6 blocks): 0 full waves and a tail of 1 block, which leaves 99.8% of its wave idle",
            ),
        ],
    );
    are(
        lines(64, [864, 1, 1]),
        &[
            (
                Level::Warn,
                "the function has 64 registers per thread; 40 were declared
  = help: declare `registers = 64`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers itself",
            ),
            (Level::Info, "864 blocks over 432 slots (108 SMs × 4 blocks): 2 full waves"),
        ],
    );
    are(
        lines(168, [1, 1, 1]),
        &[(
            Level::Error,
            "occupancy 12.5% is below the required 50%
  = note: the driver holds 1 block of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM by resource: registers 1, shared memory 164, warps 8, blocks 32
  = note: the function has 168 registers per thread; 40 were declared
  = help: compile the kernel with at most 64 registers per thread",
        )],
    );
}

//! What goes to the log, by the thread that it comes from.

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

//! What measured times come to.

use crate::Result;
use std::time::Duration;

/// Time of one round on both sides: ours and theirs.
pub(super) type Pair = (Duration, Duration);

/// Prints the median ratio of all pairs.
///
/// # Errors
///
/// Ours is less than `bar` times as fast.
pub(super) fn check_speedup(what: &str, pairs: &[Pair], bar: f64) -> Result<()> {
    let ratio = median(pairs.iter().map(|(ours, theirs)| theirs.as_secs_f64() / ours.as_secs_f64()));
    println!("{what}: {ratio:.2} times as fast (median of {} pairs, bar {bar})", pairs.len());
    if ratio >= bar { Ok(()) } else { Err(format!("{what}: the bar was missed").into()) }
}

/// Prints a measurement and returns whether it is at most `bar`.
pub(super) fn is_at_most(bar: f64, what: &str, measured: f64, unit: &str) -> bool {
    let is_reached = measured <= bar;
    let verdict = if is_reached { "reached" } else { "MISSED" };
    println!("{what}: {measured:.3} {unit} (bar: at most {bar:.3} {unit}, {verdict})");
    is_reached
}

/// Returns the median of the times, divided by `count`, in nanoseconds.
pub(super) fn nanoseconds(times: impl Iterator<Item = Duration>, count: usize) -> f64 {
    median(times.map(|time| time.as_nanos() as f64)) / count as f64
}

/// Returns the median, NaN of no values.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! Measurements. Both sides of a ratio are measured in turns, because machines are noisy and slow down together.

mod artifacts;
mod compile;
mod model;

use crate::Result;
use std::process::Command;
use std::time::Duration;

/// `cargo xtask bench`.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let [name] = words else {
        println!("cargo xtask bench model        one occupancy and a whole map, against cuda_occupancy.h at -O3");
        println!("cargo xtask bench attribute    `cargo check` of a thousand annotated functions");
        println!(
            "cargo xtask bench artifacts    listing shipped libraries, a fatbin that is annotated with, the macro's build"
        );
        println!("cargo xtask bench build        a clean build of occ-macros and all it pulls in");
        println!("cargo xtask bench guard        guarded launches against bare ones, on the stand-in for the driver");
        return Ok(());
    };
    match name.as_str() {
        "model" => model::run(),
        "attribute" => compile::attribute(),
        "artifacts" => artifacts::run(),
        "build" => compile::build(),
        "guard" => guard(),
        _ => Err(format!("no bench `{name}`; `cargo xtask bench` lists them").into()),
    }
}

/// A program of its own, which is linked with the stand-in for the driver.
fn guard() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let bench = ["bench", "--quiet", "--package", "cuda-stand-in", "--bench", "guard"];
    let status = Command::new(cargo).args(bench).status()?;
    if status.success() { Ok(()) } else { Err("a bar was missed".into()) }
}

/// What was measured of one round: our time and theirs.
type Pair = (Duration, Duration);

/// Prints the ratio in the middle of all pairs, and fails where we are not `bar` times as fast.
fn judge(what: &str, pairs: &[Pair], bar: f64) -> Result<()> {
    let mut ratios: Vec<f64> = pairs.iter().map(|(ours, theirs)| theirs.as_secs_f64() / ours.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios.get(ratios.len() / 2).copied().ok_or("nothing was measured")?;
    println!("{what}: {ratio:.2} times as fast (median of {} pairs, bar {bar})", pairs.len());
    if ratio >= bar { Ok(()) } else { Err(format!("{what}: the bar was missed").into()) }
}

/// Nanoseconds of each of `count` parts of the time in the middle.
fn nanoseconds(times: impl Iterator<Item = Duration>, count: usize) -> f64 {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_nanos() as f64 / count as f64)
}

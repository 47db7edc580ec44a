//! Compares the model and the guard with the driver of the GPU at hand, and records its answers in one JSON file.
//!
//! It carries its kernels and needs nothing but `libcuda.so.1`. `cargo xtask gpu-check` builds it, with a script that runs it;
//! `--compare report.json` compares the present model with a report, on any machine.

mod attributes;
mod guarded;
mod kernels;
mod launches;
mod machine;
mod questions;
mod report;
mod sweep;

use crate::machine::Machine;
use crate::report::Report;
use std::error::Error;
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const USAGE: &str = "\
usage: gpu-check [--quick] [--device N] [REPORT]     asks the GPU, writes REPORT (report.json)
       gpu-check --compare REPORT                    holds the model against a report";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compares the model and the guard with the driver, and returns whether they agree.
fn run(words: &[String]) -> Result<bool> {
    let (mut quick, mut device, mut path) = (false, 0, None);
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--quick" => quick = true,
            "--device" => device = words.next().ok_or(USAGE)?.parse()?,
            "--compare" => return compare(words.next().ok_or(USAGE)?),
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(true);
            }
            word if word.starts_with('-') || path.is_some() => return Err(USAGE.into()),
            word => path = Some(word),
        }
    }
    ask(path.unwrap_or("report.json"), device, quick)
}

/// Records the GPU's answers.
fn ask(path: &str, device: i32, quick: bool) -> Result<bool> {
    let machine = Machine::open(device)?;
    let report = record(&machine, quick)?;
    report.write(path)?;
    println!("{path} is written");
    Ok(judge(&report))
}

/// Runs every part on its own: the failure of one is recorded, and the next runs.
fn record(machine: &Machine, quick: bool) -> Result<Report> {
    let module = kernels::load(machine)?;
    let mut report = attributes::read(machine, &module)?;
    println!("{}: {} kernels of {}", report.name, report.kernels.len(), report.image);
    sweep::run(machine, &module, &mut report, quick);
    println!("{} points, {} clusters", report.points.len(), report.clusters.len());
    guarded::run(machine, &module, &mut report);
    // Last, since a launch that goes wrong can end the context.
    launches::run(machine, &module, &mut report);
    println!("{} launches", report.launches.len());
    Ok(report)
}

/// Compares the present model with a report.
fn compare(path: &str) -> Result<bool> {
    Ok(judge(&Report::read(path)?))
}

/// Prints what differs, and the answers to the questions.
fn judge(report: &Report) -> bool {
    let differences = report.differences();
    for difference in differences.iter().take(40) {
        println!("differs: {difference}");
    }
    for (question, answer) in questions::answers(report) {
        println!("{question}\n    {answer}");
    }
    println!("{} differences in {} points", differences.len(), report.points.len());
    differences.is_empty()
}

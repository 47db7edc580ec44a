//! `cargo xtask bench`: measurements against bars. Both sides of a ratio are measured in turns, so that noise meets both.

mod artifacts;
mod attribute;
mod build;
mod generated;
mod measure;
mod model;

use crate::Result;
use std::process::Command;

/// `cargo xtask bench`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [name] = arguments else {
        println!("cargo xtask bench model        one occupancy and a whole map, against cuda_occupancy.h at -O3");
        println!("cargo xtask bench attribute    `cargo check` of a thousand annotated functions");
        println!(
            "cargo xtask bench artifacts    listing shipped libraries, compiling with a fatbin, building the macro"
        );
        println!("cargo xtask bench build        a clean build of occ-macros and its dependencies");
        println!("cargo xtask bench guard        guarded launches against plain ones, on the stand-in for the driver");
        return Ok(());
    };
    match name.as_str() {
        "model" => model::run(),
        "attribute" => attribute::run(),
        "artifacts" => artifacts::run(),
        "build" => build::run(),
        "guard" => guard(),
        _ => Err(format!("no bench `{name}`; `cargo xtask bench` lists them").into()),
    }
}

/// Runs the bench of the guard: a separate program that is linked with the stand-in for the driver.
fn guard() -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let bench = ["bench", "--quiet", "--package", "cuda-stand-in", "--bench", "guard"];
    let status = Command::new(cargo).args(bench).status()?;
    if status.success() { Ok(()) } else { Err("a bar was missed".into()) }
}

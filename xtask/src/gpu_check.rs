//! `cargo xtask gpu-check`: builds a program to take to a machine with a GPU, and compares the report it writes there.

use crate::Result;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Script that runs the program there.
const SCRIPT: &str = "\
#!/bin/sh
# Compares occ's model with the driver of this machine's GPU and writes report.json. Needs libcuda.so.1 only.
cd \"$(dirname \"$0\")\" || exit 1
./gpu-check \"$@\" report.json
";

/// Builds the program, or compares a report with the current model.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--quiet", "--release", "--package", "gpu-check"];
    if !Command::new(cargo).args(build).current_dir(root).status()?.success() {
        return Err("gpu-check cannot be built".into());
    }
    let program = target.join("release").join("gpu-check");
    match words {
        [] => {
            let place = target.join("gpu-check");
            fs::create_dir_all(&place)?;
            fs::copy(&program, place.join("gpu-check"))?;
            let script = place.join("run.sh");
            fs::write(&script, SCRIPT)?;
            make_executable(&script)?;
            println!("copy {} to a machine with a GPU and run `run.sh` there; then", place.display());
            println!("cargo xtask gpu-check --compare report.json");
            Ok(())
        }
        [option, _] if option == "--compare" => match Command::new(program).args(words).status()? {
            status if status.success() => Ok(()),
            status => Err(format!("the report and the model differ ({status})").into()),
        },
        _ => Err("usage: cargo xtask gpu-check [--compare REPORT]".into()),
    }
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

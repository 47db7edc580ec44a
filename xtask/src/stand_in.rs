//! Runs a command with a stand-in for CUDA's driver.

use crate::Result;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `cargo xtask stand-in -- COMMAND..`: programs that the command builds are linked with the stand-in, and programs
/// that it runs load it.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let command = match words {
        [dashes, command @ ..] if dashes == "--" => command,
        command => command,
    };
    let [program, arguments @ ..] = command else {
        return Err("which command? `cargo xtask stand-in -- cargo run -p cudarc-saxpy`, for example".into());
    };
    let place = build()?;
    let status = Command::new(program)
        .args(arguments)
        .env("CUDA_LIBRARY_PATH", place.parent().unwrap_or(&place))
        .env("LD_LIBRARY_PATH", with_first(&place)?)
        .status()
        .map_err(|error| format!("`{program}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{}`: {status}", command.join(" ")).into()) }
}

/// Builds the shared library and copies it to a folder under the names of the driver's library.
fn build() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no workspace")?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    // The command may change its directory.
    let target = std::path::absolute(target)?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--package", "cuda-stand-in"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err("the stand-in cannot be built".into());
    }
    let place = target.join("stand-in").join("lib64");
    std::fs::create_dir_all(&place)?;
    for name in ["libcuda.so", "libcuda.so.1"] {
        let library = target.join("debug").join("libcuda_stand_in.so");
        std::fs::copy(&library, place.join(name)).map_err(|error| format!("{}: {error}", library.display()))?;
    }
    Ok(place)
}

/// Returns the library search path with `place` in front.
fn with_first(place: &Path) -> Result<std::ffi::OsString> {
    let others = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let places = std::iter::once(place.to_owned()).chain(env::split_paths(&others));
    Ok(env::join_paths(places)?)
}

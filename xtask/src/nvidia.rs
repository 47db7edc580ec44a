//! NVIDIA's own tools: fetched by name and hash into `target/nvidia`, never committed.

use crate::Result;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The header's version; the requirements pin it.
pub(crate) const HEADER_VERSION: &str = "13.5.37";

const REQUIREMENTS: &str = include_str!("../nvidia-requirements.txt");

/// A `ptxas`, and the newest PTX it reads.
pub(crate) struct Ptxas {
    pub(crate) name: &'static str,
    pub(crate) ptx: &'static str,
    pub(crate) program: PathBuf,
}

/// Every `ptxas` that is asked, installed.
pub(crate) fn ptxas() -> Result<[Ptxas; 2]> {
    let root = install()?;
    Ok([
        Ptxas { name: "ptxas 12.9.86", ptx: "8.8", program: root.join("nvidia/cuda_nvcc/bin/ptxas") },
        Ptxas { name: "ptxas 13.5.37", ptx: "9.5", program: root.join("nvidia/cu13/bin/ptxas") },
    ])
}

/// The program that asks the header, compiled.
pub(crate) fn header_program() -> Result<PathBuf> {
    let root = install()?;
    let program = root.join("header");
    let source = crate_root().join("oracle/header.cpp");
    if is_newer(&program, &source) {
        return Ok(program);
    }
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    run(Command::new(compiler)
        .args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-o"])
        .arg(&program)
        .arg("-isystem")
        .arg(root.join("nvidia/cu13/include"))
        .arg(source))?;
    Ok(program)
}

/// Where scratch files of the tools may be written.
pub(crate) fn root() -> PathBuf {
    crate_root().join("../target/nvidia")
}

/// The root of this repository.
pub(crate) fn workspace_root() -> PathBuf {
    crate_root().parent().map_or_else(|| crate_root().join(".."), Path::to_path_buf)
}

fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Fetches and unpacks the tools, unless that was done with the same requirements before.
fn install() -> Result<PathBuf> {
    let root = root();
    let stamp = root.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|done| done == REQUIREMENTS) {
        return Ok(root);
    }
    eprintln!("fetching NVIDIA's tools ...");
    let wheels = root.join("wheels");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    fs::create_dir_all(&wheels)?;
    run(Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--dest"])
        .arg(&wheels)
        .arg("--requirement")
        .arg(crate_root().join("nvidia-requirements.txt")))?;
    for wheel in fs::read_dir(&wheels)? {
        run(Command::new("python3").args(["-m", "zipfile", "--extract"]).arg(wheel?.path()).arg(&root))?;
    }
    // A wheel keeps the executable bit, `zipfile` does not give it back.
    for ptxas in ["nvidia/cuda_nvcc/bin/ptxas", "nvidia/cu13/bin/ptxas"] {
        make_executable(&root.join(ptxas))?;
    }
    fs::remove_dir_all(&wheels)?;
    fs::write(stamp, REQUIREMENTS)?;
    Ok(root)
}

/// Runs a command to its end; what it prints is shown.
fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("`{program}` does not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program}` failed: {status}").into()) }
}

fn is_newer(made: &Path, source: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|file| file.modified());
    match (time(made), time(source)) {
        (Ok(made), Ok(source)) => made > source,
        _ => false,
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))
        .map_err(|error| format!("{}: {error}", path.display()))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

//! NVIDIA's own tools: fetched by name and hash into `target`, never committed.

use crate::Result;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Version of the header that the requirements pin.
pub(crate) const HEADER_VERSION: &str = "13.5.37";

const REQUIREMENTS: &str = include_str!("../nvidia-requirements.txt");

/// Requirements in groups, each under a heading `## FOLDER`.
const CORPUS_REQUIREMENTS: &str = include_str!("../corpus-requirements.txt");

/// Requirements of benches only.
const BENCH_REQUIREMENTS: &str = include_str!("../bench-requirements.txt");

/// A `ptxas` with the newest PTX version that it reads.
pub(crate) struct Ptxas {
    pub(crate) name: &'static str,
    pub(crate) ptx: &'static str,
    pub(crate) program: PathBuf,
}

/// Installs every `ptxas` that the oracle asks, and returns where they are.
pub(crate) fn ptxas() -> Result<[Ptxas; 2]> {
    let root = install()?;
    Ok([
        Ptxas { name: "ptxas 12.9.86", ptx: "8.8", program: root.join("nvidia/cuda_nvcc/bin/ptxas") },
        Ptxas { name: "ptxas 13.5.37", ptx: "9.5", program: root.join("nvidia/cu13/bin/ptxas") },
    ])
}

/// Compiles the program that asks the header, and returns where it is.
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

/// Returns the folder of the oracle's tools, where scratch files may be written.
pub(crate) fn root() -> PathBuf {
    crate_root().join("../target/nvidia")
}

/// Returns the root of this repository.
pub(crate) fn workspace_root() -> PathBuf {
    crate_root().parent().map_or_else(|| crate_root().join(".."), Path::to_path_buf)
}

fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Fetches and unpacks the tools of the oracle, unless the same requirements are installed.
fn install() -> Result<PathBuf> {
    let root = root();
    install_into(&root, REQUIREMENTS)?;
    Ok(root)
}

/// Fetches and unpacks the tools of the corpus, each group into its folder, and returns where the folders are.
pub(crate) fn install_corpus() -> Result<PathBuf> {
    let root = crate_root().join("../target/nvidia-corpus");
    for group in CORPUS_REQUIREMENTS.split("## ").skip(1) {
        let (folder, requirements) = group.split_once('\n').ok_or("a group of requirements is empty")?;
        install_into(&root.join(folder), requirements)?;
    }
    Ok(root)
}

/// A library of NVIDIA's whose listing is timed.
pub(crate) struct Library {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    /// Minimum speed of listing it, in times that of `cuobjdump`.
    pub(crate) bar: f64,
    /// Size of its largest compressed cubin in bytes, 0 where none is compressed.
    pub(crate) largest_cubin: u64,
}

/// Returns the libraries whose listing is timed: one with plain cubins, one with compressed ones.
pub(crate) fn libraries() -> Result<[Library; 2]> {
    let corpus = install_corpus()?;
    let folder = crate_root().join("../target/nvidia-bench");
    install_into(&folder, BENCH_REQUIREMENTS)?;
    Ok([
        Library {
            name: "libcurand 10.3.10.19 (167 MB, plain)",
            path: corpus.join("curand-12.9/nvidia/curand/lib/libcurand.so.10"),
            bar: 20.0,
            largest_cubin: 0,
        },
        Library {
            name: "libcusparse 12.9.4.2 (250 MB, 2 GB in zstd)",
            path: folder.join("nvidia/cu13/lib/libcusparse.so.12"),
            bar: 1.5,
            largest_cubin: 22 << 20,
        },
    ])
}

/// Fetches and unpacks packages into a folder, unless the same requirements are installed there.
fn install_into(folder: &Path, requirements: &str) -> Result<()> {
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|done| done == requirements) {
        return Ok(());
    }
    eprintln!("fetching NVIDIA's tools for `{}` ...", folder.display());
    let wheels = folder.join("wheels");
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(&wheels)?;
    let wanted = folder.join("wanted.txt");
    fs::write(&wanted, requirements)?;
    run(Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes", "--dest"])
        .arg(&wheels)
        .arg("--requirement")
        .arg(&wanted))?;
    for wheel in fs::read_dir(&wheels)? {
        run(Command::new("python3").args(["-m", "zipfile", "--extract"]).arg(wheel?.path()).arg(folder))?;
    }
    for programs in ["nvidia/cuda_nvcc/bin", "nvidia/cu13/bin", "nvidia/cu13/nvvm/bin"] {
        make_executable(&folder.join(programs))?;
    }
    // `nvlink` looks for it where a complete toolkit has it.
    let nvvm = folder.join("nvidia/cu13/lib/libnvvm.so.4");
    if nvvm.exists() {
        let place = folder.join("nvidia/cu13/nvvm/lib64");
        fs::create_dir_all(&place)?;
        fs::rename(nvvm, place.join("libnvvm.so"))?;
    }
    fs::remove_dir_all(&wheels)?;
    Ok(fs::rename(wanted, stamp)?)
}

/// Runs a command to its end and shows its output.
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

/// Makes every file of a folder executable, if the folder exists: Python's `zipfile` drops the mode that a wheel keeps.
#[cfg(unix)]
fn make_executable(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if !folder.exists() {
        return Ok(());
    }
    for program in fs::read_dir(folder)? {
        let path = program?.path();
        if path.is_file() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

//! Reading artifacts: time against `cuobjdump`, memory, and the time added to compiling with the attribute.

use super::build;
use super::generated::{GeneratedCrates, ITEMS, RUNTIME, functions};
use super::measure::{Pair, check_speedup, is_at_most, median};
use crate::{Result, nvidia};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of each program, in turns.
const ROUNDS: usize = 15;

/// Maximum memory beside the mapped file, in KiB.
const MAX_MEMORY: u64 = 32 << 10;

/// `cargo xtask bench artifacts`.
pub(super) fn run() -> Result<()> {
    let libraries = nvidia::libraries()?;
    let mut reached = true;
    for library in &libraries {
        reached &= list(library)?;
    }
    reached &= compile_with_fatbin(&libraries[0].path)?;
    reached &= build::added_by_cubins()?;
    if reached { Ok(()) } else { Err("a bar was missed".into()) }
}

/// Measures time and memory of listing a library, and returns whether both bars are reached.
fn list(library: &nvidia::Library) -> Result<bool> {
    let cuobjdump = nvidia::install_corpus()?.join("toolkit/nvidia/cu13/bin/cuobjdump");
    let ours = || timed(Command::new(std::env::current_exe()?).arg("list").arg(&library.path));
    let theirs = || timed(Command::new(&cuobjdump).arg("-res-usage").arg(&library.path));
    // The first run loads the file into memory.
    let (_, stderr) = ours()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for _ in 0..ROUNDS {
        pairs.push((ours()?.0, theirs()?.0));
    }
    println!("{}: {}", library.name, stderr.trim());
    let minimum = |times: &mut dyn Iterator<Item = Duration>| times.min().unwrap_or_default().as_secs_f64() * 1e3;
    let (our, their) = (minimum(&mut pairs.iter().map(|pair| pair.0)), minimum(&mut pairs.iter().map(|pair| pair.1)));
    println!("  minimum: {our:.1} ms, cuobjdump {their:.1} ms");
    let is_fast = check_speedup(&format!("  listing {}", library.name), &pairs, library.bar).is_ok();
    let memory = stderr.split_whitespace().rev().nth(5).and_then(|word| word.parse::<u64>().ok());
    let memory = memory.ok_or("`list` printed no memory")?;
    let max_memory = MAX_MEMORY + library.largest_cubin / 1024 * std::thread::available_parallelism()?.get() as u64;
    let fits = memory <= max_memory;
    println!("  memory: {memory} KiB (bar: at most {max_memory} KiB, {})", if fits { "reached" } else { "MISSED" });
    Ok(is_fast && fits)
}

/// Runs a program and returns its time and its stderr.
fn timed(command: &mut Command) -> Result<(Duration, String)> {
    let start = Instant::now();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    let time = start.elapsed();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok((time, stderr)) } else { Err(format!("{command:?} failed:\n{stderr}").into()) }
}

/// Measures what a fatbin that every item names adds to compiling, and returns whether the bar is reached.
fn compile_with_fatbin(library: &Path) -> Result<bool> {
    let bench = GeneratedCrates::new("cubin")?;
    let fatbin = fatbin_of(library, &bench.folder)?;
    let images = occ_artifacts::read(&fs::read(&fatbin)?)?;
    let mut kernels: Vec<&str> = images
        .iter()
        .filter(|image| image.target.is_some_and(|target| target.to_string() == "sm_80"))
        .map(|image| &*image.name)
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    let kernel = |index: usize| kernels[index % kernels.len()];
    let path = fatbin.display().to_string();
    let with_literals = |index| format!("arch = \"sm_80\", block = 32, registers = {}", 16 + index % 24);
    let with_cubin =
        |index| format!("arch = \"sm_80\", block = 32, cubin = \"{path}\", kernel = \"{}\"", kernel(index));
    bench.member("with_literals", RUNTIME, &functions("#[occ_runtime::launch_config(", with_literals))?;
    bench.member("with_cubin", RUNTIME, &functions("#[occ_runtime::launch_config(", with_cubin))?;
    bench.workspace()?;
    let rounds = bench.rounds(&["with_literals", "with_cubin"])?;
    println!("{ITEMS} items, {} different kernels of {} images in the fatbin", kernels.len(), images.len());
    let added = median(rounds.iter().map(|round| round[1] - round[0]));
    Ok(is_at_most(0.5, "a fatbin that every item names, added CPU time", added, "s"))
}

/// Extracts the fatbins of a library, at least 100 MB, into one file.
fn fatbin_of(library: &Path, into: &Path) -> Result<PathBuf> {
    let path = into.join("library.fatbin");
    let status = Command::new("objcopy")
        .args(["-O", "binary", "--only-section=.nv_fatbin"])
        .args([library, &path])
        .status()
        .map_err(|error| format!("`objcopy` of binutils does not start: {error}"))?;
    if !status.success() {
        return Err(format!("`objcopy` failed: {status}").into());
    }
    let length = fs::metadata(&path)?.len();
    println!("the fatbin that the items name: {} MB", length / 1_000_000);
    Ok(path)
}

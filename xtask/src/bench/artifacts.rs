//! Reading artifacts: against `cuobjdump`, in memory, and in what it adds to compiling with the attribute.

use super::{Pair, compile, judge};
use crate::{Result, nvidia};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs of each program, in turns.
const ROUNDS: usize = 15;

/// Most memory beside the mapped file, in KiB.
const MEMORY: u64 = 32 << 10;

/// `cargo xtask bench artifacts`.
pub(crate) fn run() -> Result<()> {
    let libraries = nvidia::libraries()?;
    let mut reached = true;
    for library in &libraries {
        reached &= list(library)?;
    }
    reached &= compile::cubin(&libraries[0].path)?;
    reached &= compile::build_with_cubin()?;
    if reached { Ok(()) } else { Err("a bar was missed".into()) }
}

/// The time and the memory of listing a library.
fn list(library: &nvidia::Library) -> Result<bool> {
    let cuobjdump = nvidia::install_corpus()?.join("toolkit/nvidia/cu13/bin/cuobjdump");
    let ours = || timed(Command::new(std::env::current_exe()?).arg("list").arg(&library.path));
    let theirs = || timed(Command::new(&cuobjdump).arg("-res-usage").arg(&library.path));
    // Once to have the file in memory.
    let (_, said) = ours()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for _ in 0..ROUNDS {
        pairs.push((ours()?.0, theirs()?.0));
    }
    println!("{}: {}", library.name, said.trim());
    let least = |times: &mut dyn Iterator<Item = Duration>| times.min().unwrap_or_default().as_secs_f64() * 1e3;
    let (our, their) = (least(&mut pairs.iter().map(|pair| pair.0)), least(&mut pairs.iter().map(|pair| pair.1)));
    println!("  least: {our:.1} ms, cuobjdump {their:.1} ms");
    let is_quick = judge(&format!("  listing {}", library.name), &pairs, library.bar).is_ok();
    let memory = said.split_whitespace().rev().nth(5).and_then(|word| word.parse::<u64>().ok());
    let memory = memory.ok_or("no memory was told")?;
    let most = MEMORY + library.largest_cubin / 1024 * std::thread::available_parallelism()?.get() as u64;
    let fits = memory <= most;
    println!("  memory: {memory} KiB (bar: at most {most} KiB, {})", if fits { "reached" } else { "MISSED" });
    Ok(is_quick && fits)
}

/// How long a program runs, and what it says on its error output.
fn timed(command: &mut Command) -> Result<(Duration, String)> {
    let start = Instant::now();
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    let time = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok((time, said)) } else { Err(format!("{command:?} failed:\n{said}").into()) }
}

/// The fatbins of a library as a file of their own, at least 100 MB.
pub(crate) fn fatbin_of(library: &Path, into: &Path) -> Result<PathBuf> {
    let path = into.join("library.fatbin");
    let status = Command::new("objcopy")
        .args(["-O", "binary", "--only-section=.nv_fatbin"])
        .args([library, &path])
        .status()
        .map_err(|error| format!("`objcopy` of binutils does not start: {error}"))?;
    if !status.success() {
        return Err(format!("`objcopy` failed: {status}").into());
    }
    let length = std::fs::metadata(&path)?.len();
    println!("the fatbin that is annotated with: {} MB", length / 1_000_000);
    Ok(path)
}

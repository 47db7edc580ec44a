//! `cargo xtask list FILE`: every kernel of an artifact with machine code, one line each, as the benches time it.

use crate::Result;
use std::fs::{self, File};
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

pub(crate) fn run(words: &[String]) -> Result<()> {
    let [path] = words else {
        return Err("usage: cargo xtask list FILE".into());
    };
    let file = map(Path::new(path))?;
    let images = occ_artifacts::read_machine_code(&file).map_err(|error| format!("{path}: {error}"))?;
    let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
    for image in &images {
        if let Some(target) = image.target {
            write!(out, "{target} ")?;
        }
        for (name, number) in
            [("registers", image.registers), ("static_smem", image.static_smem), ("barriers", image.barriers)]
        {
            if let Some(number) = number {
                write!(out, "{name}={number} ")?;
            }
        }
        if let Some(stack) = image.stack {
            write!(out, "stack={stack:?} ")?;
        }
        writeln!(out, "{}", image.name)?;
    }
    out.flush()?;
    eprintln!("{} kernels, at most {} KiB beside the mapped file", images.len(), peak_beside_files()?);
    drop(file);
    Ok(())
}

/// A file as memory.
#[allow(unsafe_code)]
fn map(path: &Path) -> Result<memmap2::Mmap> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: what is listed here lies in a cache of packages that nothing writes to while this runs.
    Ok(unsafe { memmap2::Mmap::map(&file)? })
}

/// The most memory this process has had, less the pages of files in it, in KiB.
fn peak_beside_files() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let field = |name: &str| -> Result<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("the system does not tell memory")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    };
    Ok(field("VmHWM:")?.saturating_sub(field("RssFile:")?))
}

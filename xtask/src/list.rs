//! `cargo xtask list FILE`: every kernel of an artifact with machine code, one line each, as the benches time it. What is
//! not known is -1.

use crate::Result;
use occ_artifacts::{KernelImage, Stack};
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
    let mut shown = (None, String::new());
    for image in &images {
        let KernelImage { name, target, registers, static_smem, barriers, stack, .. } = image;
        // Kernels of one target stand together.
        if *target != shown.0 {
            shown = (*target, target.map_or(String::new(), |target| target.to_string()));
        }
        let stack = match stack {
            Some(Stack::Bytes(bytes)) => Some(*bytes),
            _ => None,
        };
        let [registers, static_smem, barriers, stack] =
            [*registers, *static_smem, *barriers, stack].map(|number| number.map_or(-1, i64::from));
        writeln!(out, "{} REG:{registers} SHARED:{static_smem} BAR:{barriers} STACK:{stack} {name}", shown.1)?;
    }
    out.flush()?;
    eprintln!("{} kernels, at most {} KiB beside the mapped file", images.len(), peak_beside_files()?);
    // The system takes everything back faster than it is given back piece by piece.
    std::mem::forget((images, file));
    Ok(())
}

/// A file as memory.
#[allow(unsafe_code)]
fn map(path: &Path) -> Result<memmap2::Mmap> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: a file that is listed must not be changed meanwhile. The benches list what only they have fetched.
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

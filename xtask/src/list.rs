//! `cargo xtask list FILE`: prints a line for each kernel with machine code in an artifact, for benches. Unknown values
//! are -1.

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
    let mut printed_target = (None, String::new());
    for image in &images {
        let KernelImage { name, target, registers, static_smem, barriers, stack, .. } = image;
        // Formats the target once for adjacent kernels.
        if *target != printed_target.0 {
            printed_target = (*target, target.map_or(String::new(), |target| target.to_string()));
        }
        let stack = match stack {
            Some(Stack::Bytes(bytes)) => Some(*bytes),
            _ => None,
        };
        let [registers, static_smem, barriers, stack] =
            [*registers, *static_smem, *barriers, stack].map(|number| number.map_or(-1, i64::from));
        writeln!(out, "{} REG:{registers} SHARED:{static_smem} BAR:{barriers} STACK:{stack} {name}", printed_target.1)?;
    }
    out.flush()?;
    eprintln!("{} kernels, at most {} KiB beside the mapped file", images.len(), peak_beside_files()?);
    // Leaked, because the system frees all memory at exit faster than individual drops.
    std::mem::forget((images, file));
    Ok(())
}

/// Maps a file into memory.
#[allow(unsafe_code)]
fn map(path: &Path) -> Result<memmap2::Mmap> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: the file must not change while it is mapped. The benches list files that only they write.
    Ok(unsafe { memmap2::Mmap::map(&file)? })
}

/// Returns the peak memory of this process without mapped files, in KiB.
fn peak_beside_files() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let field = |name: &str| -> Result<u64> {
        let line =
            status.lines().find_map(|line| line.strip_prefix(name)).ok_or("`/proc/self/status` has no memory usage")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    };
    Ok(field("VmHWM:")?.saturating_sub(field("RssFile:")?))
}

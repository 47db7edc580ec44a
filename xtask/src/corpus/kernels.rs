//! The sources of the corpus, in CUDA and PTX, and the versions and targets that can compile them.

use super::tools::{Ptxas, Tools, Version, capability, stderr_of};
use crate::{Result, nvidia};
use std::path::PathBuf;

/// A source file.
pub(crate) struct Source {
    pub(crate) name: &'static str,
    /// The target of `nvcc` for the PTX of a CUDA source.
    compute: Option<&'static str>,
    isa: Version,
    /// The minimum capability, times ten.
    capability: u32,
    needs: Needs,
}

#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Nothing,
    /// A target with a suffix.
    Suffix,
    /// A target with a suffix and tensor memory.
    TensorMemory,
    /// A target that allows more than 48 KiB of static shared memory. Some versions reject it.
    LargeSmem,
    /// Compilation for device linking.
    Linking,
}

pub(crate) const SOURCES: [Source; 12] = [
    cuda("base.cu", "compute_75", (8, 0), 50, Needs::Nothing),
    cuda("aligned.cu", "compute_75", (8, 0), 50, Needs::Nothing),
    cuda("grid.cu", "compute_75", (8, 0), 70, Needs::Nothing),
    cuda("clusters.cu", "compute_90", (8, 0), 90, Needs::Nothing),
    cuda("block_size.cu", "compute_90", (9, 0), 90, Needs::Nothing),
    cuda("rdc_kernels.cu", "compute_75", (8, 0), 50, Needs::Linking),
    cuda("rdc_functions.cu", "compute_75", (8, 0), 50, Needs::Linking),
    ptx("directives.ptx", 50, Needs::Nothing),
    ptx("clusters.ptx", 90, Needs::Nothing),
    ptx("setmaxnreg.ptx", 90, Needs::Suffix),
    Source { isa: (8, 6), ..ptx("tcgen05.ptx", 100, Needs::TensorMemory) },
    ptx("large_smem.ptx", 90, Needs::LargeSmem),
];

/// The minimum blocks per SM of kernels, which only PTX states. `min_alone` is missing: without a block size it is ignored.
pub(crate) const MIN_BLOCKS: [(&str, u32); 12] = [
    ("bounds_256_2", 2),
    ("bounds_1024_1", 1),
    ("bounds_256_1_4", 1),
    ("calls_nothing", 4),
    ("maxntid_512_min_1", 1),
    ("maxntid_256_min_2", 2),
    ("maxntid_256_min_3", 3),
    ("maxntid_128_min_8", 8),
    ("reqntid_128_min_4", 4),
    ("cluster_all_bounds", 2),
    ("setmaxnreg", 1),
    ("without_setmaxnreg", 1),
];

const fn cuda(name: &'static str, compute: &'static str, isa: Version, capability: u32, needs: Needs) -> Source {
    Source { name, compute: Some(compute), isa, capability, needs }
}

const fn ptx(name: &'static str, capability: u32, needs: Needs) -> Source {
    Source { name, compute: None, isa: (8, 0), capability, needs }
}

impl Source {
    pub(crate) fn path(&self) -> PathBuf {
        path(self.name)
    }

    /// Returns the PTX without its version and target.
    pub(crate) fn ptx(&self, tools: &Tools) -> Result<String> {
        let path = match self.compute {
            None => self.path(),
            Some(compute) => {
                let ptx = tools.scratch.join(self.name).with_extension("cu.ptx");
                let linking = if self.needs == Needs::Linking { "-rdc=true" } else { "-rdc=false" };
                stderr_of(
                    tools.program("nvcc").args(["-ptx", "-arch", compute, linking, "-o"]).arg(&ptx).arg(self.path()),
                )?;
                ptx
            }
        };
        let text = std::fs::read_to_string(path)?;
        let is_kept = |line: &&str| ![".version", ".target", ".address_size"].iter().any(|word| line.starts_with(word));
        Ok(text.lines().filter(is_kept).collect::<Vec<_>>().join("\n"))
    }

    /// Returns whether it can be compiled with these options.
    pub(crate) fn fits(&self, ptxas: &Ptxas, target: &str, is_for_linking: bool) -> bool {
        let Some((capability, suffix)) = capability(target) else {
            return false;
        };
        self.isa <= ptxas.isa
            && self.capability <= capability
            && match self.needs {
                Needs::Nothing => true,
                Needs::Suffix | Needs::LargeSmem => !suffix.is_empty(),
                Needs::TensorMemory => !suffix.is_empty() && capability < 120,
                Needs::Linking => is_for_linking,
            }
    }

    /// Returns whether `ptxas` may reject it.
    pub(crate) fn may_be_refused(&self) -> bool {
        self.needs == Needs::LargeSmem
    }
}

/// Adds the version and target to PTX.
pub(crate) fn with_header(ptx: &str, isa: Version, target: &str) -> String {
    format!(".version {}.{}\n.target {target}\n.address_size 64\n{ptx}\n", isa.0, isa.1)
}

/// Returns the path of a file of the corpus.
pub(crate) fn path(name: &str) -> PathBuf {
    nvidia::workspace_root().join("xtask/corpus").join(name)
}

//! Where a kernel was found, and which toolkit made it.

use std::fmt;
use std::sync::Arc;

/// A CUDA toolkit's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolkit {
    /// 13 of 13.5.
    pub major: u32,
    /// 5 of 13.5.
    pub minor: u32,
}

impl fmt::Display for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A cubin: machine code for one target.
    Cubin,
    /// PTX.
    Ptx,
    /// The log of `ptxas -v`, `nvcc --resource-usage` or NVRTC.
    CompilerLog,
    /// The text of `cuobjdump -res-usage`.
    ResourceUsage,
    /// A baseline, `kernels.occ.json`.
    Baseline,
}

/// Where a kernel was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What it was read from in the end: a cubin in a fatbin in a shared library is a cubin.
    pub format: Format,
    /// The member of an archive it was in.
    pub member: Option<Arc<str>>,
    /// The section of a host file that held its fatbin: `.nv_fatbin`, `__nv_relfatbin`, `.nv_fatb`.
    pub section: Option<Arc<str>>,
    /// Which fatbin of those in the file or section, from 0.
    pub container: Option<u32>,
    /// Which entry of that fatbin, from 0.
    pub entry: Option<u32>,
    /// Where in the file: the first byte of the cubin or PTX, compressed or not; in a text the kernel's first line.
    pub offset: u64,
}

impl Origin {
    /// A file that is nothing but this.
    pub fn whole(format: Format) -> Self {
        Origin { format, member: None, section: None, container: None, entry: None, offset: 0 }
    }
}

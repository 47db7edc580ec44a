//! The place where a kernel was found, and the toolkit that compiled it.

use std::fmt;
use std::sync::Arc;

/// A CUDA toolkit's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolkit {
    /// The major version: 13 in 13.5.
    pub major: u32,
    /// The minor version: 5 in 13.5.
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

/// The place where a kernel was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// The innermost format: a cubin in a fatbin in a shared library is a cubin.
    pub format: Format,
    /// The member of an archive.
    pub member: Option<Arc<str>>,
    /// The section of the host file: `.nv_fatbin`, `__nv_relfatbin`, `.nv_fatb`.
    pub section: Option<Arc<str>>,
    /// The index of the fatbin in the file or section, from 0.
    pub container: Option<u32>,
    /// The index of the entry in that fatbin, from 0.
    pub entry: Option<u32>,
    /// The offset in the file, in bytes: of the cubin or PTX, compressed or not, or of the kernel's first line in a text.
    pub offset: u64,
}

impl Origin {
    /// Creates the origin of a kernel in a file that is entirely of this format.
    pub fn whole(format: Format) -> Self {
        Origin { format, member: None, section: None, container: None, entry: None, offset: 0 }
    }
}

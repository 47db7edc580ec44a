//! The files that were made.

use crate::origin::Format;
use occ_core::Target;
use std::path::PathBuf;

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// Every file, source by source.
    pub artifacts: Vec<Artifact>,
    /// By what.
    pub made_by: MadeBy,
}

impl Compiled {
    /// The cubins among what was made.
    pub fn cubins(&self) -> impl Iterator<Item = &Artifact> {
        self.artifacts.iter().filter(|artifact| artifact.format == Format::Cubin)
    }
}

/// One file that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub format: Format,
    /// The source, as it was given to the builder.
    pub source: PathBuf,
    /// What it was compiled for: `sm_80`, or `compute_80` for PTX.
    pub target: Target,
}

/// Where kernels came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MadeBy {
    /// A toolkit, now.
    Toolkit {
        /// Its version: `13.5.37`.
        version: String,
    },
    /// A toolkit, before: they are prebuilt.
    Prebuilt,
}

//! The output files.

use crate::origin::Format;
use occ_core::Target;
use std::path::PathBuf;

/// The output files of a builder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// All files, source by source.
    pub artifacts: Vec<Artifact>,
    /// Whether they were compiled or prebuilt.
    pub made_by: MadeBy,
}

impl Compiled {
    /// Returns the cubins.
    pub fn cubins(&self) -> impl Iterator<Item = &Artifact> {
        self.artifacts.iter().filter(|artifact| artifact.format == Format::Cubin)
    }
}

/// An output file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// The path of the file.
    pub path: PathBuf,
    /// The format of the file.
    pub format: Format,
    /// The path of the source, as passed to the builder.
    pub source: PathBuf,
    /// The target: `sm_80`, or `compute_80` for PTX.
    pub target: Target,
}

/// The origin of output files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MadeBy {
    /// They were compiled by a toolkit.
    Toolkit {
        /// The version of the toolkit: `13.5.37`.
        version: String,
    },
    /// They are copies of prebuilt files.
    Prebuilt,
}

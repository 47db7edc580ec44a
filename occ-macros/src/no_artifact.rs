//! In the place of `artifact.rs` without the feature `cubin`: every file is refused.

use crate::config::{CompiledKernel, NotChosen, Unread};
use crate::diagnostics::Ends;
use occ_core::Arch;

/// No file is ever read.
pub(crate) enum Artifact {}

pub(crate) fn read(_: &str) -> Result<Artifact, Unread> {
    Err(Unread {
        text: "`cubin` needs the feature `cubin` of `occ-runtime`, which is off".to_owned(),
        lines: vec!["help: remove `default-features = false`, or add `features = [\"cubin\"]`".to_owned()],
    })
}

#[allow(clippy::unnecessary_wraps, reason = "as in `artifact.rs`")]
pub(crate) fn choose(files: &[(Artifact, Ends)], _: &str, _: &[Arch]) -> Result<Vec<CompiledKernel>, NotChosen> {
    match files.first() {
        Some((artifact, _)) => match *artifact {},
        None => Ok(Vec::new()),
    }
}

pub(crate) fn to_track(_: &[String]) -> Vec<String> {
    Vec::new()
}

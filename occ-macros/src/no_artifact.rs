//! In the place of `artifact.rs` without the feature `cubin`: every file is refused.

use crate::config::CompiledKernel;
use crate::diagnostics::Ends;
use occ_core::Arch;

/// No file is ever read.
pub(crate) enum Artifact {}

/// Why a file was not read.
pub(crate) struct Unread {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
    pub(crate) is_there: bool,
}

/// Why no kernel was chosen.
pub(crate) struct NotChosen {
    pub(crate) text: String,
    pub(crate) lines: Vec<String>,
    pub(crate) ends: Option<Ends>,
}

pub(crate) const OUT_DIR: &str = "$OUT_DIR/";

pub(crate) fn read(_: &str) -> Result<Artifact, Unread> {
    Err(Unread {
        text: "`cubin` needs the feature `cubin` of `occ-runtime`, which is off".to_owned(),
        notes: vec!["help: remove `default-features = false`, or add `features = [\"cubin\"]`".to_owned()],
        is_there: false,
    })
}

pub(crate) fn choose(files: &[(Artifact, Ends)], _: &str, _: &[Arch]) -> Result<Vec<CompiledKernel>, NotChosen> {
    match files.first() {
        Some((artifact, _)) => match *artifact {},
        None => Ok(Vec::new()),
    }
}

pub(crate) fn to_track(_: &[String]) -> Vec<String> {
    Vec::new()
}

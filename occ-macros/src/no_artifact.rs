//! Takes the place of `artifact.rs` without the feature `cubin`: every file is refused.

use crate::compiled_kernel::{CompiledKernel, WantedKernel};
use crate::diagnostics::{Diagnostic, TokenRange};
use crate::messages;
use occ_core::Arch;

/// A file that was read: none is.
pub(crate) enum Artifact {}

/// Refuses a file.
pub(crate) fn read(_: &str, at: TokenRange) -> Result<Artifact, Diagnostic> {
    Err(messages::cubin_is_off(at))
}

#[allow(clippy::unnecessary_wraps, reason = "as in `artifact.rs`")]
pub(crate) fn choose(
    files: &[(Artifact, TokenRange)],
    _: &WantedKernel,
    _: &[Arch],
) -> Result<Vec<CompiledKernel>, Diagnostic> {
    match files.first() {
        Some((artifact, _)) => match *artifact {},
        None => Ok(Vec::new()),
    }
}

pub(crate) fn to_track(_: &[String]) -> Vec<String> {
    Vec::new()
}

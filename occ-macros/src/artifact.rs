//! Compiled artifacts: the files that `cubin` names, and which image of a kernel runs on each compute capability.

mod choose;
mod file;

pub(crate) use choose::choose;
pub(crate) use file::{Artifact, read, to_track};

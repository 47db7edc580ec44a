//! The languages of sources.

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Cuda,
    Ptx,
}

//! The kinds of compression in fatbins, and with the feature `containers` decompression.

#[cfg(feature = "containers")]
mod decompressor;
mod kind;
#[cfg(feature = "containers")]
mod zstd;

#[cfg(feature = "containers")]
pub(crate) use decompressor::Decompressor;
pub(crate) use kind::Compression;

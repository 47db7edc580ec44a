//! How entries of fatbins are compressed, and with the feature `containers` their decompression.

#[cfg(feature = "containers")]
mod decompressor;
#[cfg(feature = "containers")]
mod zstd;

#[cfg(feature = "containers")]
pub(crate) use decompressor::Decompressor;

/// How something is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// One LZ4 block, without a frame.
    Lz4,
    /// One zstd frame.
    Zstd,
}

//! The kinds of compression.

/// How something is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// One LZ4 block, without a frame.
    Lz4,
    /// One zstd frame.
    Zstd,
}

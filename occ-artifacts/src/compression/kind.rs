//! The kinds of compression.

/// A kind of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// An LZ4 block without a frame.
    Lz4,
    /// A zstd frame.
    Zstd,
}

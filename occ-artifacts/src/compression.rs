//! Compressed entries of fatbins, decompressed one at a time into memory that is used again.

mod zstd;

use crate::budget::Budget;
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::fatbin::{Compression, Entry};

/// What a decoder of zstd keeps beside the content, in bytes: its tables, and the literals of a block.
const ZSTD: u64 = 192 << 10;

/// Decompresses one entry after another. It holds memory for the largest of them, and gives it back when dropped.
pub(crate) struct Decompressor<'b> {
    content: Vec<u8>,
    budget: &'b Budget,
    zstd: Option<Box<zstd::Decoder>>,
}

impl<'b> Decompressor<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Decompressor { content: Vec::new(), budget, zstd: None }
    }

    /// What is in an entry: its payload, or what that is decompressed to.
    pub(crate) fn content<'c>(&'c mut self, entry: &Entry<'c>) -> Result<Bytes<'c>, Error> {
        match entry.compression {
            None => Ok(entry.payload),
            Some(compression) => self.decompress(entry.payload, compression, entry.uncompressed_size),
        }
    }

    /// What is in `payload`, which is as long as declared: `size` bytes.
    fn decompress(&mut self, payload: Bytes<'_>, compression: Compression, size: u64) -> Result<Bytes<'_>, Error> {
        let what = match compression {
            Compression::Lz4 => "LZ4",
            Compression::Zstd => "zstd",
        };
        self.grow(size, payload.start)?;
        self.budget.decompress(size, payload.start)?;
        if compression == Compression::Zstd && self.zstd.is_none() {
            self.budget.take(ZSTD, payload.start, "the tables of zstd")?;
            self.zstd = Some(Box::new(zstd::Decoder::new()));
        }
        let content = self.content.get_mut(..size as usize).unwrap_or_default();
        let is_whole = match compression {
            Compression::Lz4 => {
                lz4_flex::block::decompress_into(payload.data, content).is_ok_and(|bytes| bytes as u64 == size)
            }
            Compression::Zstd => {
                self.zstd.as_mut().is_some_and(|decoder| decoder.decode(payload.data, content).is_some())
            }
        };
        if is_whole {
            Ok(Bytes::new(content, payload.start))
        } else {
            Err(Error::new(payload.start, Problem::Decompression { what, bytes: size }))
        }
    }

    /// Makes room for `size` bytes, if the budget has them.
    fn grow(&mut self, size: u64, offset: u64) -> Result<(), Error> {
        if size > self.content.len() as u64 {
            self.free();
            self.budget.take(size, offset, "something compressed")?;
            self.content = vec![0; size as usize];
        }
        Ok(())
    }

    /// Gives the memory for content back.
    fn free(&mut self) {
        self.budget.give_back(self.content.len() as u64);
        self.content = Vec::new();
    }
}

impl Drop for Decompressor<'_> {
    fn drop(&mut self) {
        self.free();
        if self.zstd.take().is_some() {
            self.budget.give_back(ZSTD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"the block, the block, the block and the grid, the grid, the grid";

    fn refusal(compression: Compression, payload: &[u8], size: u64) -> Problem {
        let budget = Budget::of_file(payload.len());
        let error = Decompressor::new(&budget).decompress(Bytes::new(payload, 64), compression, size).unwrap_err();
        assert_eq!(error.offset, 64);
        error.problem
    }

    /// A zstd frame of one block, as it is.
    fn frame(content: &[u8]) -> Vec<u8> {
        let [low, high, ..] = ((content.len() as u32) << 3 | 1).to_le_bytes();
        [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0, low, high, 0][..], content].concat()
    }

    fn payloads() -> [(Compression, &'static str, Vec<u8>); 2] {
        [(Compression::Lz4, "LZ4", lz4_flex::block::compress(TEXT)), (Compression::Zstd, "zstd", frame(TEXT))]
    }

    #[test]
    fn one_entry_after_another() {
        let budget = Budget::of_file(0);
        let mut decompressor = Decompressor::new(&budget);
        for (compression, _, payload) in payloads().into_iter().chain(payloads()) {
            let content = decompressor.decompress(Bytes::new(&payload, 64), compression, TEXT.len() as u64).unwrap();
            assert_eq!((content.data, content.start), (TEXT, 64));
        }
    }

    #[test]
    fn more_or_less_than_declared_is_refused() {
        for (compression, what, payload) in payloads() {
            for bytes in [0, 1, TEXT.len() as u64 - 1, TEXT.len() as u64 + 1, 100_000] {
                assert_eq!(refusal(compression, &payload, bytes), Problem::Decompression { what, bytes });
            }
        }
    }

    #[test]
    fn truncated_and_foreign_bytes_are_refused() {
        let bytes = TEXT.len() as u64;
        for (compression, what, payload) in payloads() {
            for length in 0..payload.len() {
                assert_eq!(refusal(compression, &payload[..length], bytes), Problem::Decompression { what, bytes });
            }
            assert_eq!(refusal(compression, &[0xff; 100], bytes), Problem::Decompression { what, bytes });
        }
    }

    #[test]
    fn declared_sizes_are_not_believed() {
        for (compression, _, payload) in payloads() {
            for bytes in [100 << 20, u64::MAX] {
                let what = "something compressed";
                assert_eq!(refusal(compression, &payload, bytes), Problem::TooLarge { what, bytes });
            }
        }
    }

    #[test]
    fn memory_is_used_again_and_given_back() {
        let budget = Budget::of_file(0);
        let whole = budget.left();
        let mut decompressor = Decompressor::new(&budget);
        for (size, taken) in [(1000_u64, 1000), (10, 1000), (5000, 5000)] {
            let payload = frame(&vec![7; size as usize]);
            decompressor.decompress(Bytes::new(&payload, 0), Compression::Zstd, size).unwrap();
            assert_eq!(whole - budget.left(), taken + ZSTD);
        }
        drop(decompressor);
        assert_eq!(budget.left(), whole);
    }
}

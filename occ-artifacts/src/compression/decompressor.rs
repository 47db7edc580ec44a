//! Decompresses payloads into a buffer that is reused.

use super::kind::Compression;
use super::zstd;
use crate::budget::{Budget, Reservation};
use crate::bytes::Bytes;
use crate::error::{Error, Problem};

/// Decompresses payloads into one buffer, which grows to the largest of them.
pub(crate) struct Decompressor<'b> {
    buffer: Buffer<'b>,
    budget: &'b Budget,
    zstd: Option<zstd::Decoder<'b>>,
}

/// Memory and its share of the budget.
#[derive(Default)]
struct Buffer<'b> {
    bytes: Vec<u8>,
    _memory: Option<Reservation<'b>>,
}

impl<'b> Decompressor<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Self {
        Decompressor { buffer: Buffer::default(), budget, zstd: None }
    }

    /// Returns the content of `payload`, which must have exactly `size` bytes.
    pub(crate) fn decompress(
        &mut self,
        payload: Bytes<'_>,
        compression: Compression,
        size: u64,
    ) -> Result<Bytes<'_>, Error> {
        self.grow(size, payload.start)?;
        self.budget.decompress(size, payload.start)?;
        let (what, is_whole) = match compression {
            Compression::Lz4 => ("LZ4", self.lz4(payload.data, size)),
            Compression::Zstd => ("zstd", self.zstd(payload, size)?),
        };
        match self.buffer.bytes.get(..size as usize).filter(|_| is_whole) {
            Some(content) => Ok(Bytes::new(content, payload.start)),
            None => Err(Error::new(payload.start, Problem::Decompression { what, bytes: size })),
        }
    }

    fn lz4(&mut self, block: &[u8], size: u64) -> bool {
        let content = self.buffer.bytes.get_mut(..size as usize).unwrap_or_default();
        lz4_flex::block::decompress_into(block, content).is_ok_and(|bytes| bytes as u64 == size)
    }

    fn zstd(&mut self, frame: Bytes<'_>, size: u64) -> Result<bool, Error> {
        let Some(window) = zstd::window_size(frame.data, size) else {
            return Ok(false);
        };
        let reusable = self.zstd.take().filter(|decoder| decoder.max_window() >= window);
        let decoder = match reusable {
            Some(decoder) => decoder,
            None => zstd::Decoder::new(window, self.budget, frame.start)?,
        };
        let content = self.buffer.bytes.get_mut(..size as usize).unwrap_or_default();
        Ok(self.zstd.insert(decoder).decode(frame.data, content).is_some())
    }

    /// Grows the buffer to at least `size` bytes if the budget allows it.
    fn grow(&mut self, size: u64, offset: u64) -> Result<(), Error> {
        if size > self.buffer.bytes.len() as u64 {
            self.buffer = Buffer::default();
            let memory = self.budget.reserve(size, offset, "the content of a compressed entry")?;
            self.buffer = Buffer { bytes: vec![0; size as usize], _memory: Some(memory) };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"the block, the block, the block and the grid, the grid, the grid";

    fn refusal(compression: Compression, payload: &[u8], size: u64) -> Problem {
        let budget = Budget::for_file(payload.len());
        let error = Decompressor::new(&budget).decompress(Bytes::new(payload, 64), compression, size).unwrap_err();
        assert_eq!(error.offset, 64);
        error.problem
    }

    /// Builds a zstd frame of one uncompressed block with a window of 1 KiB.
    fn frame(content: &[u8]) -> Vec<u8> {
        let [low, high, ..] = ((content.len() as u32) << 3 | 1).to_le_bytes();
        [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0, low, high, 0][..], content].concat()
    }

    fn payloads() -> [(Compression, &'static str, Vec<u8>); 2] {
        [(Compression::Lz4, "LZ4", lz4_flex::block::compress(TEXT)), (Compression::Zstd, "zstd", frame(TEXT))]
    }

    #[test]
    fn a_decompressor_is_reused() {
        let budget = Budget::for_file(0);
        let mut decompressor = Decompressor::new(&budget);
        for (compression, _, payload) in payloads().into_iter().chain(payloads()) {
            let content = decompressor.decompress(Bytes::new(&payload, 64), compression, TEXT.len() as u64).unwrap();
            assert_eq!((content.data, content.start), (TEXT, 64));
        }
    }

    #[test]
    fn another_size_than_declared_is_an_error() {
        for (compression, what, payload) in payloads() {
            for bytes in [0, 1, TEXT.len() as u64 - 1, TEXT.len() as u64 + 1, 100_000] {
                assert_eq!(refusal(compression, &payload, bytes), Problem::Decompression { what, bytes });
            }
        }
    }

    #[test]
    fn truncated_and_random_bytes_are_errors() {
        let bytes = TEXT.len() as u64;
        for (compression, what, payload) in payloads() {
            for length in 0..payload.len() {
                assert_eq!(refusal(compression, &payload[..length], bytes), Problem::Decompression { what, bytes });
            }
            assert_eq!(refusal(compression, &[0xff; 100], bytes), Problem::Decompression { what, bytes });
        }
    }

    #[test]
    fn declared_sizes_are_not_trusted() {
        for (compression, _, payload) in payloads() {
            for bytes in [100 << 20, u64::MAX] {
                let what = "the content of a compressed entry";
                assert_eq!(refusal(compression, &payload, bytes), Problem::TooLarge { what, bytes });
            }
        }
    }

    /// 64 MiB + 32 MiB, 3.75 TiB, the largest possible window, and a window of the declared content size.
    #[test]
    fn declared_windows_are_not_trusted() {
        for window in [0x84, 0xff] {
            let mut frame = frame(TEXT);
            frame[5] = window;
            let problem = refusal(Compression::Zstd, &frame, TEXT.len() as u64);
            assert!(matches!(problem, Problem::TooLarge { what: "the window of a zstd frame", .. }), "{problem:?}");
        }
        let whole = [0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        let problem = refusal(Compression::Zstd, &whole, 5);
        assert_eq!(problem, Problem::Decompression { what: "zstd", bytes: 5 });
    }

    #[test]
    fn memory_is_reused_and_returned_to_the_budget() {
        let budget = Budget::for_file(0);
        let whole = budget.left();
        let mut decompressor = Decompressor::new(&budget);
        let mut decompress = |size: usize| {
            let payload = lz4_flex::block::compress(&vec![7; size]);
            decompressor.decompress(Bytes::new(&payload, 0), Compression::Lz4, size as u64).unwrap();
            whole - budget.left()
        };
        assert_eq!([1000, 10, 5000].map(&mut decompress), [1000, 1000, 5000]);
        let payload = frame(TEXT);
        for _ in 0..2 {
            decompressor.decompress(Bytes::new(&payload, 0), Compression::Zstd, TEXT.len() as u64).unwrap();
            assert_eq!(whole - budget.left(), 5000 + zstd::memory(1024));
        }
        drop(decompressor);
        assert_eq!(budget.left(), whole);
    }
}

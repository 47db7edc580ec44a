//! Decodes zstd frames with `ruzstd`, one block at a time, so that it buffers at most the window and one block.

use crate::budget::{Budget, Reservation};
use crate::error::Error;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

// Bits of the frame header descriptor.
const RESERVED: u8 = 0x08;
const SINGLE_SEGMENT: u8 = 0x20;
const SIZE_FIELD: u8 = 0xc0;

/// Returns the window size that a frame of `size` bytes of content declares, in bytes; `None` if the header is invalid.
pub(super) fn window_size(frame: &[u8], size: u64) -> Option<u64> {
    let header = frame.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?;
    let (&descriptor, header) = header.split_first()?;
    if descriptor & RESERVED != 0 {
        None
    } else if descriptor & SINGLE_SEGMENT != 0 {
        Some(size)
    } else {
        let window = *header.first()?;
        let base = 1_u64 << (10 + (window >> 3));
        Some(base + base / 8 * u64::from(window & 7))
    }
}

/// Returns the most memory that decoding takes besides the content, in bytes.
///
/// The buffer holds a window and one block. While it grows, the old one exists too, and its capacity can be twice its
/// length. A block has at most 1 MiB of literals and 98,047 sequences of 12 bytes, in vectors that grow too.
pub(super) fn memory(window: u64) -> u64 {
    const BLOCK: u64 = 4 << 20;
    window.saturating_mul(3).saturating_add(BLOCK)
}

/// A reusable decoder of frames.
pub(super) struct Decoder<'b> {
    frames: FrameDecoder,
    _memory: Reservation<'b>,
}

impl<'b> Decoder<'b> {
    /// Creates a decoder for windows up to `window` bytes if the budget allows it.
    pub(super) fn new(window: u64, budget: &'b Budget, offset: u64) -> Result<Self, Error> {
        // Rounding up lets one decoder serve frames with slightly larger windows.
        let window = window.checked_next_power_of_two().unwrap_or(window);
        let memory = budget.reserve(memory(window), offset, "the window of a zstd frame")?;
        let mut frames = FrameDecoder::new();
        frames.set_max_window_size(window);
        Ok(Decoder { frames, _memory: memory })
    }

    pub(super) fn max_window(&self) -> u64 {
        self.frames.max_window_size()
    }

    /// Decodes `frame` into `content`; `None` if it is damaged, is not exactly one frame, or has another size.
    ///
    /// Checksums are not verified: the frames of fatbins have none.
    pub(super) fn decode(&mut self, frame: &[u8], content: &mut [u8]) -> Option<()> {
        let mut rest = frame;
        self.frames.reset(&mut rest).ok()?;
        let has_size = frame.get(4)? & (SINGLE_SEGMENT | SIZE_FIELD) != 0;
        if has_size && self.frames.content_size() != content.len() as u64 {
            return None;
        }
        let mut filled = 0;
        while !self.frames.is_finished() {
            self.frames.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1)).ok()?;
            filled += std::io::Read::read(&mut self.frames, content.get_mut(filled..)?).ok()?;
            // The rest does not fit into `content`.
            if self.frames.can_collect() > 0 {
                return None;
            }
        }
        (rest.is_empty() && filled == content.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // `lines` compressed by zstd 1.5.7: at once; streamed, without a size; streamed in a window of 1 KiB; with a checksum.
    const WHOLE: &[u8] = include_bytes!("../../tests/frames/whole.zst");
    const STREAMED: &[u8] = include_bytes!("../../tests/frames/streamed.zst");
    const WINDOWED: &[u8] = include_bytes!("../../tests/frames/windowed.zst");
    const CHECKSUM: &[u8] = include_bytes!("../../tests/frames/checksum.zst");

    fn lines(count: u64) -> Vec<u8> {
        let line = |i: u64| {
            let (register, noise) = (i * i % 97, i * 7919 % 1_000_003 * 104_729 % 9973);
            format!("kernel {i} of {register} registers, {noise:x}{:x}\n", i * i * i * 31_337 % 65_521)
        };
        (0..count).map(line).collect::<String>().into_bytes()
    }

    fn decode(frame: &[u8], size: usize) -> Option<Vec<u8>> {
        let budget = Budget::for_file(frame.len());
        let mut content = vec![0; size];
        Decoder::new(window_size(frame, size as u64)?, &budget, 0).ok()?.decode(frame, &mut content)?;
        Some(content)
    }

    #[test]
    fn frames_of_the_reference_implementation() {
        for (frame, count) in [(WHOLE, 40), (STREAMED, 200), (WINDOWED, 200), (CHECKSUM, 40)] {
            let lines = lines(count);
            assert_eq!(decode(frame, lines.len()).as_ref(), Some(&lines));
            for size in [0, 1, lines.len() - 1, lines.len() + 1, 2 * lines.len()] {
                assert_eq!(decode(frame, size), None);
            }
        }
        assert_eq!(window_size(WHOLE, 1395), Some(1395));
        assert_eq!(window_size(WINDOWED, 7147), Some(1024));
        assert_eq!(window_size(&[0x28, 0xb5, 0x2f, 0xfd, 0, 0xff], 1), Some((1 << 41) + 7 * (1 << 38)));
    }

    #[test]
    fn a_decoder_is_reused() {
        let budget = Budget::for_file(0);
        let mut decoder = Decoder::new(8 << 10, &budget, 0).unwrap();
        for (frame, count) in [(WINDOWED, 200), (WHOLE, 40), (STREAMED, 200), (WHOLE, 40)] {
            let expected = lines(count);
            let mut content = vec![0; expected.len()];
            decoder.decode(frame, &mut content).unwrap();
            assert!(content == expected);
            assert_eq!(decoder.decode(&frame[..frame.len() / 2], &mut content), None);
        }
    }

    #[test]
    fn raw_and_rle_blocks() {
        // No content size, a window of 1 KiB; a raw block of "cubin", then as the last block an RLE block of 4 × `!`.
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0x28, 0, 0][..], b"cubin", &[0x23, 0, 0], b"!"].concat();
        assert_eq!(decode(&frame, 9).unwrap(), b"cubin!!!!");
        for size in [0, 8, 10] {
            assert_eq!(decode(&frame, size), None);
        }
    }

    #[test]
    fn more_than_declared_is_an_error() {
        // 30,000 RLE blocks of 1 KiB each, and of 128 KiB each in a window of 128 KiB.
        for (window, size) in [(0, [0x02, 0x20, 0]), (7 << 3, [0x02, 0, 0x10])] {
            let block = [&size[..], &[0]].concat();
            let bomb = [&[0x28, 0xb5, 0x2f, 0xfd, 0, window][..], &block.repeat(30_000)].concat();
            assert_eq!(decode(&bomb, 1 << 20), None);
        }
    }

    #[test]
    fn only_one_whole_frame_is_accepted() {
        let size = lines(40).len();
        for length in 0..WHOLE.len() {
            assert_eq!(decode(&WHOLE[..length], size), None, "{length}");
        }
        let skippable = [0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0];
        assert_eq!(decode(&[WHOLE, &[0]].concat(), size), None);
        assert_eq!(decode(&[WHOLE, WHOLE].concat(), size), None);
        assert_eq!(decode(&[WHOLE, WHOLE].concat(), 2 * size), None);
        assert_eq!(decode(&[WHOLE, &skippable].concat(), size), None);
        assert_eq!(decode(&[&skippable, WHOLE].concat(), size), None);
        assert_eq!(decode(&CHECKSUM[..CHECKSUM.len() - 1], size), None);
    }

    #[test]
    fn damaged_frames_do_not_panic() {
        for (frame, size) in [(WHOLE, lines(40).len()), (STREAMED, lines(200).len())] {
            let mut refused = 0;
            for position in 0..frame.len() {
                // Every bit of the first bytes, one bit of the others.
                let bits = if position < 400 { 0..8 } else { 7..8 };
                for bit in bits {
                    let mut frame = frame.to_vec();
                    frame[position] ^= 1 << bit;
                    match decode(&frame, size) {
                        Some(content) => assert_eq!(content.len(), size),
                        None => refused += 1,
                    }
                }
            }
            assert!(refused > frame.len() / 2);
        }
    }

    #[test]
    fn dictionaries_reserved_bits_and_other_magic_numbers_are_errors() {
        let size = lines(40).len();
        // A reserved bit, a dictionary, another magic number.
        for (position, flip) in [(4, 0x08), (4, 0x01), (0, 0x01)] {
            let mut frame = WHOLE.to_vec();
            frame[position] ^= flip;
            assert_eq!(decode(&frame, size), None);
        }
    }
}

//! zstd frames (RFC 8878), decompressed in place: nothing is kept beside the content but tables and one block's literals.

mod bits;
mod fse;
mod huffman;
mod sequences;

/// Blocks and their literals are at most this long.
const BLOCK: usize = 128 << 10;

/// Tables and literals, to be used for one frame after another.
pub(super) struct Decoder {
    code: huffman::Code,
    has_code: bool,
    sequences: sequences::Sequences,
    literals: Vec<u8>,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Decoder {
            code: huffman::Code::new(),
            has_code: false,
            sequences: sequences::Sequences::new(),
            // Literals are copied 16 at once.
            literals: vec![0; BLOCK + 16],
        }
    }

    /// Fills `content` with what `frame` holds; `None` if the frame is damaged or holds more or less than that.
    ///
    /// A frame's checksum is not looked at: those of fatbins have none.
    pub(super) fn decode(&mut self, frame: &[u8], content: &mut [u8]) -> Option<()> {
        let (mut at, checksum) = header(frame, content.len())?;
        self.has_code = false;
        self.sequences.reset();
        let mut filled = 0;
        loop {
            let header = frame.get(at..)?.first_chunk::<3>()?;
            let header = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let size = (header >> 3) as usize;
            at += 3;
            let stored = if header >> 1 & 3 == 1 { 1 } else { size };
            let end = at + stored;
            let stored = frame.get(at..end)?;
            match header >> 1 & 3 {
                _ if size > BLOCK => return None,
                0 => content.get_mut(filled..filled + size)?.copy_from_slice(stored),
                1 => content.get_mut(filled..filled + size)?.fill(*stored.first()?),
                2 => {
                    let before = filled;
                    filled = self.block(frame.get(..end)?, at, content, filled)?;
                    if filled - before > BLOCK {
                        return None;
                    }
                    at = end;
                    if header & 1 == 1 {
                        break;
                    }
                    continue;
                }
                _ => return None,
            }
            filled += size;
            at = end;
            if header & 1 == 1 {
                break;
            }
        }
        (at + checksum == frame.len() && filled == content.len()).then_some(())
    }

    /// Adds the compressed block from `at` to the end of `data` to a content that is filled up to `filled`, and returns
    /// up to where it is then.
    fn block(&mut self, data: &[u8], at: usize, content: &mut [u8], filled: usize) -> Option<usize> {
        let section = Literals::read(data, at)?;
        let end = section.at.checked_add(section.stored)?;
        self.read_literals(data.get(..end)?, &section)?;
        self.sequences.run(data, end, (&self.literals, section.size), content, filled)
    }

    /// Decodes literals, which end where `data` ends.
    fn read_literals(&mut self, data: &[u8], section: &Literals) -> Option<()> {
        let literals = self.literals.get_mut(..section.size)?;
        let mut at = section.at;
        match section.kind {
            0 => literals.copy_from_slice(data.get(at..)?),
            1 => literals.fill(*data.get(at)?),
            kind => {
                if kind == 2 {
                    at = self.code.read(data, at)?;
                    self.has_code = true;
                } else if !self.has_code {
                    return None;
                }
                if section.is_one_stream {
                    self.code.decode(data, at, literals)?;
                } else {
                    self.code.decode_four(data, streams(data, at)?, literals)?;
                }
            }
        }
        Some(())
    }
}

/// Where the first block begins, and how many bytes follow the last. The size in the header must be this one.
fn header(frame: &[u8], size: usize) -> Option<(usize, usize)> {
    let (magic, rest) = frame.split_first_chunk::<4>()?;
    let (&descriptor, _) = rest.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    let has_dictionary = descriptor & 3 != 0;
    if *magic != [0x28, 0xb5, 0x2f, 0xfd] || descriptor & 8 != 0 || has_dictionary {
        return None;
    }
    let at = 5 + usize::from(!is_single_segment);
    let length = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        log => 1 << log,
    };
    let stored = frame.get(at..at + length)?;
    let mut bytes = [0; 8];
    bytes.get_mut(..length)?.copy_from_slice(stored);
    let stored = u64::from_le_bytes(bytes) + if length == 2 { 256 } else { 0 };
    if length != 0 && stored != size as u64 {
        return None;
    }
    Some((at + length, if descriptor & 4 == 0 { 0 } else { 4 }))
}

/// The header of a block's literals.
struct Literals {
    /// 0 as they are, 1 one byte for all, 2 with a new code, 3 with the code of the block before.
    kind: u32,
    is_one_stream: bool,
    /// How many literals there are.
    size: usize,
    /// How many bytes they are stored in.
    stored: usize,
    /// Where these begin.
    at: usize,
}

impl Literals {
    fn read(data: &[u8], at: usize) -> Option<Self> {
        let mut bytes = [0; 8];
        for (byte, stored) in bytes.iter_mut().take(5).zip(data.get(at..)?) {
            *byte = *stored;
        }
        let header = u64::from_le_bytes(bytes);
        let (kind, format) = (header as u32 & 3, header as u32 >> 2 & 3);
        let (size, stored, length) = if kind < 2 {
            let (size, length) = match format {
                1 => (header >> 4 & 0xfff, 2),
                3 => (header >> 4 & 0xf_ffff, 3),
                _ => (header >> 3 & 0x1f, 1),
            };
            (size, if kind == 1 { 1 } else { size }, length)
        } else {
            let (bits, length) = match format {
                2 => (14, 4),
                3 => (18, 5),
                _ => (10, 3),
            };
            let mask = (1 << bits) - 1;
            (header >> 4 & mask, header >> (4 + bits) & mask, length)
        };
        Some(Literals {
            kind,
            is_one_stream: format == 0,
            size: size as usize,
            stored: stored as usize,
            at: at + length,
        })
    }
}

/// Where four streams begin and end, of which the last ends with `data`.
fn streams(data: &[u8], at: usize) -> Option<[(usize, usize); 4]> {
    let sizes = data.get(at..)?.first_chunk::<6>()?;
    let size = |index: usize| usize::from(u16::from_le_bytes([sizes[index], sizes[index + 1]]));
    let first = at + 6;
    let second = first + size(0);
    let third = second + size(2);
    let fourth = third + size(4);
    Some([(first, second), (second, third), (third, fourth), (fourth, data.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    /// What `zstd -19 --no-check` 1.5.4 makes of `lines()`.
    const FRAME: &str = "28b52ffd6073049d0b00761c43169019b60155a878c42622fe7fd6caeeee9d215f3d1f9c430038003900e3d63536904d32d4\
        62e6c7afa50932a4672c24450d4976bf0fb3e58ad19666511ab2755947efdb1749da0edb8031020245022d1484014a044620\
        210223604087042a047635725d59eccaba4a6dca8dbfb7e935bf261fd17bcc1142aeb3de31d9fde622664a313fcbf8cbbca5\
        dde9b7aac4769b1ccdd2d6f0e192bb75ca206ae7707fd0bda4ae7a24e89ccbe3f2cfbbf5b6f8b17aa42ebb9f5b824cbd76fb\
        4490cdea56961423dc5f533193f63a1fa14b51f91ecf8073a8984a236e9d294709a26ad56fc7b19d85a5dca5b9c2da84e737\
        5e9142dfee552b3ca620e2bf4a0d9d86daee954c59c95475e54134e7383f0275a81190a48104c2bcdf0170bb1c105891a820\
        7a80ecacae116add194967894a4a2d23dd0b555553bd816f2f5562b10b73d1aa14da13368cb00e9cac560594f2a840a4d3ba\
        468566439ea069d6b60497f436d4e58ca92a504479e521004a9356007823ab";

    fn lines() -> Vec<u8> {
        let line = |i: u64| {
            let (register, noise) = (i * i % 97, i * 7919 % 1_000_003 * 104_729 % 9973);
            format!("kernel {i} of {register} registers, {noise:x}{:x}\n", i * i * i * 31_337 % 65_521)
        };
        (0..40).map(line).collect::<String>().into_bytes()
    }

    fn bytes(hex: &str) -> Vec<u8> {
        hex.as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
            .collect()
    }

    fn decode(frame: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut content = vec![0; size];
        Decoder::new().decode(frame, &mut content)?;
        Some(content)
    }

    /// Numbers that look like chance.
    fn noise(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        }
    }

    /// Content as in machine code: some bytes are chance, most come again from near or far, some of it overlapping.
    fn content(seed: u64, size: usize) -> Vec<u8> {
        let mut noise = noise(seed);
        let mut content = Vec::new();
        while content.len() < size {
            let distance =
                if noise().is_multiple_of(2) { 1 + noise() % 40 } else { 1 + noise() % (content.len() as u64 + 1) };
            match content.len().checked_sub(distance as usize) {
                Some(from) if !noise().is_multiple_of(3) => {
                    for index in from..from + noise() as usize % 300 {
                        content.push(content[index]);
                    }
                }
                _ => content.extend((0..noise() % 60).map(|_| (noise() % 7 * (noise() % 40)) as u8)),
            }
        }
        content.truncate(size);
        content
    }

    #[test]
    fn a_frame_of_the_reference_implementation() {
        assert_eq!(decode(&bytes(FRAME), lines().len()), Some(lines()));
    }

    #[test]
    fn frames_of_another_implementation() {
        for (seed, size) in [0, 1, 7, 8, 100, 1000, 70_000, 131_072, 131_073, 700_000].into_iter().enumerate() {
            let content = content(seed as u64, size);
            for level in [CompressionLevel::Uncompressed, CompressionLevel::Fastest] {
                let frame = compress_to_vec(&content[..], level);
                assert!(decode(&frame, size).as_ref() == Some(&content), "{size} bytes");
            }
        }
    }

    #[test]
    fn one_decoder_decodes_one_frame_after_another() {
        let mut decoder = Decoder::new();
        for seed in 0..4 {
            let expected = content(seed, 5000);
            let frame = compress_to_vec(&expected[..], CompressionLevel::Fastest);
            let mut content = vec![0; 5000];
            decoder.decode(&frame, &mut content).unwrap();
            assert!(content == expected);
            decoder.decode(&frame[..frame.len() / 2], &mut content).ok_or(()).unwrap_err();
        }
    }

    #[test]
    fn blocks_as_they_are_and_of_one_byte() {
        // No content size, a window of 1 KiB; a block of "cubin", then the last block of 4 times `!`.
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0x28, 0, 0][..], b"cubin", &[0x23, 0, 0], b"!"].concat();
        assert_eq!(decode(&frame, 9).unwrap(), b"cubin!!!!");
        for size in [0, 8, 10] {
            assert_eq!(decode(&frame, size), None);
        }
    }

    #[test]
    fn the_declared_window_takes_no_memory() {
        let window_of_3_75_tebibytes = 0xff;
        let frame = [&[0x28, 0xb5, 0x2f, 0xfd, 0, window_of_3_75_tebibytes, 0x29, 0, 0], &b"cubin"[..]].concat();
        assert_eq!(decode(&frame, 5).unwrap(), b"cubin");
    }

    #[test]
    fn more_or_less_than_declared_is_refused() {
        let size = lines().len();
        for size in [0, 1, size - 1, size + 1, 2 * size] {
            assert_eq!(decode(&bytes(FRAME), size), None);
        }
        // 30,000 blocks of 128 KiB of one byte each.
        let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0];
        bomb.extend([0x02, 0, 0x10, 0].repeat(30_000));
        assert_eq!(decode(&bomb, 1 << 20), None);
    }

    #[test]
    fn truncated_and_extended_frames_are_refused() {
        let frame = bytes(FRAME);
        for length in 0..frame.len() {
            assert_eq!(decode(&frame[..length], lines().len()), None, "{length}");
        }
        assert_eq!(decode(&[&frame[..], &[0]].concat(), lines().len()), None);
    }

    #[test]
    fn damaged_frames_do_no_harm() {
        let frame = bytes(FRAME);
        let size = lines().len();
        let mut refused = 0;
        for position in 0..frame.len() {
            for bit in 0..8 {
                let mut frame = frame.clone();
                frame[position] ^= 1 << bit;
                match decode(&frame, size) {
                    Some(content) => assert_eq!(content.len(), size),
                    None => refused += 1,
                }
            }
        }
        assert!(refused > frame.len());
    }

    #[test]
    fn dictionaries_reserved_bits_and_foreign_sizes_are_refused() {
        let frame = bytes(FRAME);
        let size = lines().len();
        // A reserved bit, a dictionary, another magic number.
        for (position, flip) in [(4, 0x08), (4, 0x01), (0, 0x01)] {
            let mut frame = frame.clone();
            frame[position] ^= flip;
            assert_eq!(decode(&frame, size), None);
        }
    }
}

//! Finding a GPU by a name as people write it.

use crate::gpu::Gpu;
use crate::nearest::edit_distance;
use crate::text::Text;
use core::fmt;

/// The error for a name that is not that of a single GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownGpu {
    /// Whether several different GPUs have this name; otherwise none has.
    pub ambiguous: bool,
    /// GPUs with this name, or else with the nearest names; `None` after the last.
    pub candidates: [Option<&'static Gpu>; 6],
}

impl UnknownGpu {
    /// Writes the error, as the macro and constants show it.
    #[doc(hidden)]
    pub const fn write(&self, text: &mut Text) {
        text.str(if self.ambiguous { "several GPUs have this name: " } else { "unknown GPU, the nearest are " });
        self.write_candidates(text);
    }

    /// Writes only the candidates: `` `H100 CNX` (114 SMs), `H100 NVL 94 GB` (132 SMs) ``.
    #[doc(hidden)]
    pub const fn write_candidates(&self, text: &mut Text) {
        let mut at = 0;
        while at < self.candidates.len() {
            if let Some(gpu) = self.candidates[at] {
                text.str(if at == 0 { "`" } else { ", `" }).str(gpu.name).str("`");
                if self.ambiguous {
                    text.str(" (").num(gpu.sm_count as u64).str(" SMs)");
                }
            }
            at += 1;
        }
    }
}

impl fmt::Display for UnknownGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new();
        self.write(&mut text);
        f.write_str(text.as_str())
    }
}

impl core::error::Error for UnknownGpu {}

impl Gpu {
    /// Returns the GPU with this name.
    ///
    /// Case, spaces and punctuation do not matter, nor does a leading `NVIDIA`, `GeForce` or `Tesla`. `Laptop GPU`
    /// means `Mobile`. A part of a name is enough if every GPU whose name has these words has the same capability and
    /// SM count: this holds for `A100`, but not for `H100`.
    ///
    /// # Errors
    ///
    /// Returns [`UnknownGpu`] with the candidates if no GPU has this name, or several different ones have it.
    pub const fn find(name: &str) -> Result<&'static Gpu, UnknownGpu> {
        let asked = Key::new(name);
        if asked.length == 0 {
            return Err(UnknownGpu { ambiguous: false, candidates: nearest(name, &asked) });
        }
        if let Some(gpu) = find_exactly(&asked) {
            return Ok(gpu);
        }
        let mut candidates = [None; 6];
        let mut count = 0;
        let mut differ = false;
        let mut at = 0;
        while at < Self::COUNT {
            let gpu = &Self::ALL[at];
            at += 1;
            let key = Key::new(gpu.name);
            if key.common_words(&asked) < asked.word_count() {
                continue;
            }
            if let Some(first) = candidates[0] {
                differ = differ || !gpu.is_like(first);
            }
            if count < candidates.len() {
                candidates[count] = Some(gpu);
                count += 1;
            }
        }
        match candidates[0] {
            Some(gpu) if !differ => Ok(gpu),
            Some(_) => Err(UnknownGpu { ambiguous: true, candidates }),
            None => Err(UnknownGpu { ambiguous: false, candidates: nearest(name, &asked) }),
        }
    }

    /// Returns the GPU with this name, for constants.
    ///
    /// # Panics
    ///
    /// Panics if [`Gpu::find`] fails, with the candidates: in a constant this is a build error.
    ///
    /// ```
    /// use occ_core::Gpu;
    ///
    /// const A100: &Gpu = Gpu::named("A100 SXM4");
    /// assert_eq!(A100.sm_count, 108);
    /// ```
    #[track_caller]
    pub const fn named(name: &str) -> &'static Gpu {
        match Self::find(name) {
            Ok(gpu) => gpu,
            Err(error) => {
                let mut text = Text::new();
                text.str("`").str(name).str("`: ");
                error.write(&mut text);
                panic!("{}", text.as_str())
            }
        }
    }

    /// Returns the index in [`Gpu::ALL`] of the GPU with this name, or [`Gpu::COUNT`] if there is none.
    pub fn index(&self) -> usize {
        Self::ALL.iter().position(|gpu| gpu.name == self.name).unwrap_or(Self::COUNT)
    }

    /// Returns whether both GPUs have the same capability and SM count.
    const fn is_like(&self, other: &Gpu) -> bool {
        self.arch.index() == other.arch.index() && self.sm_count == other.sm_count
    }
}

/// Returns the GPU whose whole name, or name in the driver, was asked for.
const fn find_exactly(asked: &Key) -> Option<&'static Gpu> {
    let mut at = 0;
    while at < Gpu::COUNT {
        let gpu = &Gpu::ALL[at];
        if asked.length > 0 && (Key::new(gpu.name).equals(asked) || Key::new(gpu.driver_name).equals(asked)) {
            return Some(gpu);
        }
        at += 1;
    }
    None
}

/// Returns the GPUs with the nearest names: those that share the most words, then those with the fewest edits.
const fn nearest(name: &str, asked: &Key) -> [Option<&'static Gpu>; 6] {
    const FOUND: usize = 3;
    let mut best = [None; 6];
    let mut distances = [usize::MAX; FOUND];
    let mut at = 0;
    while at < Gpu::COUNT {
        let gpu = &Gpu::ALL[at];
        at += 1;
        let words = Key::new(gpu.name).common_words(asked);
        let distance = edit_distance(name, after_brand(gpu.name)) + (asked.word_count() - words) * 100;
        let mut place = FOUND;
        while place > 0 && distance < distances[place - 1] {
            place -= 1;
        }
        if place < FOUND {
            let mut moved = FOUND - 1;
            while moved > place {
                best[moved] = best[moved - 1];
                distances[moved] = distances[moved - 1];
                moved -= 1;
            }
            best[place] = Some(gpu);
            distances[place] = distance;
        }
    }
    best
}

/// Returns a product name without the brand that people leave out.
const fn after_brand(name: &'static str) -> &'static str {
    match strip(name.as_bytes(), b"GeForce ") {
        Some(rest) => match core::str::from_utf8(rest) {
            Ok(rest) => rest,
            Err(_) => name,
        },
        None => name,
    }
}

/// Returns `bytes` without `prefix`, ASCII case ignored.
const fn strip<'a>(bytes: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    if bytes.len() < prefix.len() {
        return None;
    }
    let (start, rest) = bytes.split_at(prefix.len());
    let mut at = 0;
    while at < prefix.len() {
        if !start[at].eq_ignore_ascii_case(&prefix[at]) {
            return None;
        }
        at += 1;
    }
    Some(rest)
}

/// A name as it is compared: letters and digits in lower case, and where its words end.
struct Key {
    bytes: [u8; Self::LENGTH],
    /// Whether a word ends after so many bytes.
    word_ends: [bool; Self::LENGTH + 1],
    length: usize,
}

impl Key {
    const LENGTH: usize = 64;

    /// Returns the key of a name.
    const fn new(name: &str) -> Key {
        let mut rest = name.trim_ascii().as_bytes();
        let brands: [&[u8]; 3] = [b"NVIDIA", b"GeForce", b"Tesla"];
        let mut at = 0;
        while at < brands.len() {
            if let Some(stripped) = strip(rest, brands[at]) {
                rest = stripped.trim_ascii();
            }
            at += 1;
        }
        let mut key = Key { bytes: [0; Self::LENGTH], word_ends: [false; Self::LENGTH + 1], length: 0 };
        while let Some((&byte, after)) = rest.split_first() {
            if let Some(after) = strip(rest, b"Laptop GPU") {
                key.push_all(b"mobile");
                rest = after;
                continue;
            }
            if byte.is_ascii_alphanumeric() {
                key.push(byte.to_ascii_lowercase());
            } else if !key.is_before_unit(after) {
                key.word_ends[key.length] = true;
            }
            rest = after;
        }
        key.word_ends[key.length] = true;
        key
    }

    /// Appends a byte; those that do not fit are ignored.
    const fn push(&mut self, byte: u8) {
        if self.length < Self::LENGTH {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
    }

    /// Appends bytes; those that do not fit are ignored.
    const fn push_all(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            self.push(bytes[at]);
            at += 1;
        }
    }

    /// Returns whether both names are the same.
    const fn equals(&self, other: &Key) -> bool {
        self.length == other.length && self.same(0, other, 0, self.length)
    }

    /// Returns whether a number ends here and `GB` follows: `80 GB` and `80GB` are one word.
    const fn is_before_unit(&self, after: &[u8]) -> bool {
        match strip(after, b"GB") {
            Some(rest) => {
                self.length > 0
                    && self.bytes[self.length - 1].is_ascii_digit()
                    && match rest.first() {
                        Some(next) => !next.is_ascii_alphanumeric(),
                        None => true,
                    }
            }
            None => false,
        }
    }

    /// Returns where the word that starts at `start` ends.
    const fn word_end(&self, start: usize) -> usize {
        let mut end = start + 1;
        while end < self.length && !self.word_ends[end] {
            end += 1;
        }
        end
    }

    /// Returns the number of words.
    const fn word_count(&self) -> usize {
        let mut count = 0;
        let mut at = 0;
        while at < self.length {
            at = self.word_end(at);
            count += 1;
        }
        count
    }

    /// Returns how many of the words of `asked` this name has.
    const fn common_words(&self, asked: &Key) -> usize {
        let mut count = 0;
        let mut from = 0;
        while from < asked.length {
            let end = asked.word_end(from);
            let mut at = 0;
            while at < self.length {
                let here = self.word_end(at);
                if here - at == end - from && self.same(at, asked, from, end - from) {
                    count += 1;
                    break;
                }
                at = here;
            }
            from = end;
        }
        count
    }

    /// Returns whether `length` bytes at `at` equal those of `other` at `from`.
    const fn same(&self, at: usize, other: &Key, from: usize, length: usize) -> bool {
        let mut done = 0;
        while done < length {
            if self.bytes[at + done] != other.bytes[from + done] {
                return false;
            }
            done += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_gpu_is_found_by_its_own_name() {
        for gpu in Gpu::ALL {
            assert_eq!(Gpu::find(gpu.name), Ok(gpu));
            assert_eq!(Gpu::find(&gpu.name.to_uppercase()), Ok(gpu));
            assert_eq!(Gpu::find(&gpu.name.replace(' ', "")), Ok(gpu), "{}", gpu.name);
            if !gpu.driver_name.is_empty() {
                assert_eq!(Gpu::find(gpu.driver_name).map(|g| (g.arch, g.sm_count)), Ok((gpu.arch, gpu.sm_count)));
            }
        }
    }

    #[test]
    fn forgiving_names() {
        for (name, full, sms) in [
            ("A100 SXM4", "A100 SXM4 40 GB", 108),
            ("a100", "A100 PCIe 40 GB", 108),
            ("T4", "Tesla T4", 40),
            ("V100", "Tesla V100 PCIe 16 GB", 80),
            ("NVIDIA GeForce RTX 3060 Laptop GPU", "GeForce RTX 3060 Mobile", 30),
            ("geforce  rtx-4070 ti super", "GeForce RTX 4070 Ti SUPER", 66),
            ("H200", "H200 NVL", 132),
            ("NVIDIA Thor", "Jetson T5000", 20),
            ("RTX A6000", "RTX A6000", 84),
            ("A6000", "RTX A6000", 84),
            ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB", 108),
            ("NVIDIA A100-SXM4-40GB", "A100 SXM4 40 GB", 108),
            ("H100 SXM5", "H100 SXM5 64 GB", 132),
        ] {
            let gpu = Gpu::find(name).unwrap();
            assert_eq!((gpu.name, gpu.sm_count), (full, sms), "{name}");
        }
    }

    #[test]
    fn never_a_guess() {
        for name in ["H100", "RTX 6000", "GTX 1060", "Jetson AGX Orin", "RTX", "4090"] {
            assert!(Gpu::find(name).is_err_and(|e| e.ambiguous), "{name}");
        }
        for name in ["", " ", "RTX 4091", "Radeon", "NVIDIA", "40", "日本"] {
            assert!(Gpu::find(name).is_err_and(|e| !e.ambiguous), "{name}");
        }
        assert_eq!(Gpu::find("RTX 4091").unwrap_err().candidates[0].unwrap().name, "GeForce RTX 4090");
        assert_eq!(
            Gpu::find("A30 SXM").unwrap_err().to_string(),
            "unknown GPU, the nearest are `A30 PCIe`, `H200 SXM 141 GB`, `A30X`"
        );
        let h100 = Gpu::find("H100").unwrap_err().to_string();
        assert!(h100.starts_with("several GPUs have this name: `H100 CNX` (114 SMs), "), "{h100}");
        assert!(h100.contains("`H100 PCIe 80 GB` (114 SMs)") && h100.contains("`H100 SXM5 80 GB` (132 SMs)"), "{h100}");
        let sxm = Gpu::find("NVIDIA H100 80GB HBM3").unwrap_err().candidates;
        assert_eq!([sxm[0].unwrap().name, sxm[1].unwrap().name], ["H100 PCIe 80 GB", "H100 SXM5 80 GB"]);
    }
}

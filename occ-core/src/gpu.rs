//! GPUs by name: a product fixes the compute capability and the number of SMs.

use crate::arch::Arch;
use crate::nearest::edit_distance;
use core::fmt;

/// How sure the SM count and the capability of a GPU are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Confidence {
    /// Read off a real device by its driver.
    High,
    /// From a database of products, and consistent with the published number of cores.
    Medium,
    /// Announced or inferred; not confirmed on a device.
    Low,
}

/// A GPU product.
///
/// ```
/// use occ_core::{Arch, Gpu};
///
/// let gpu = Gpu::find("rtx 4090").unwrap();
/// assert_eq!((gpu.name, gpu.arch, gpu.sm_count), ("GeForce RTX 4090", Arch::SM_89, 128));
///
/// // The same capability, other products: an SM count never follows from the capability.
/// assert_eq!(Gpu::find("H20").unwrap().sm_count, 78);
/// assert!(Gpu::find("H100").is_err()); // 114 SMs on PCIe, 132 on SXM5
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Gpu {
    /// The product's name.
    pub name: &'static str,
    /// The name its driver gives, where one was seen, else empty.
    pub driver_name: &'static str,
    /// Its compute capability.
    pub arch: Arch,
    /// Its SMs, without MIG.
    pub sm_count: u32,
    /// How sure these are.
    pub confidence: Confidence,
}

/// A name that no one GPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownGpu {
    /// Whether several GPUs that differ have this name; else none has.
    pub ambiguous: bool,
    /// Those that differ, or those with the nearest names.
    pub candidates: [&'static Gpu; 3],
}

impl fmt::Display for UnknownGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.ambiguous { "several GPUs have this name: " } else { "unknown GPU, the nearest are " })?;
        for (at, gpu) in self.candidates.iter().enumerate() {
            if at > 0 && self.candidates[..at].contains(gpu) {
                continue;
            }
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}`{}`", gpu.name)?;
            if self.ambiguous {
                write!(f, " ({}, {} SMs)", gpu.arch, gpu.sm_count)?;
            }
        }
        Ok(())
    }
}

impl core::error::Error for UnknownGpu {}

impl Gpu {
    /// The GPU of that name.
    ///
    /// Case, spaces and punctuation do not matter, nor do a leading `NVIDIA`, `GeForce` or `Tesla`; `Laptop GPU` and
    /// `Mobile` are the same. The beginning of a name is enough if every GPU whose name begins so has the same
    /// capability and SM count: `A100` is one, `H100` is not.
    ///
    /// # Errors
    ///
    /// [`UnknownGpu`] if there is none or several that differ, with the candidates. Never a guess.
    pub const fn find(name: &str) -> Result<&'static Gpu, UnknownGpu> {
        let asked = Key::new(name);
        if let Some(gpu) = exactly(&asked) {
            return Ok(gpu);
        }
        // One candidate for each capability and SM count among the GPUs whose names begin so.
        let mut candidates = [&Self::ALL[0]; 3];
        let mut count = 0;
        let mut at = 0;
        while at < Self::COUNT {
            let gpu = &Self::ALL[at];
            at += 1;
            if asked.length == 0 || !Key::new(gpu.name).begins_with(&asked) {
                continue;
            }
            let mut known = false;
            let mut other = 0;
            while other < count {
                known = known || candidates[other].is_like(gpu);
                other += 1;
            }
            if !known && count < candidates.len() {
                candidates[count] = gpu;
                count += 1;
            }
        }
        match count {
            0 => Err(UnknownGpu { ambiguous: false, candidates: nearest(name) }),
            1 => Ok(candidates[0]),
            _ => {
                if count == 2 {
                    candidates[2] = candidates[1];
                }
                Err(UnknownGpu { ambiguous: true, candidates })
            }
        }
    }

    const fn is_like(&self, other: &Gpu) -> bool {
        self.arch.index() == other.arch.index() && self.sm_count == other.sm_count
    }
}

const fn exactly(asked: &Key) -> Option<&'static Gpu> {
    let mut at = 0;
    while at < Gpu::COUNT {
        let gpu = &Gpu::ALL[at];
        if asked.length > 0 && (Key::new(gpu.name).is(asked) || Key::new(gpu.driver_name).is(asked)) {
            return Some(gpu);
        }
        at += 1;
    }
    None
}

/// The three GPUs whose names are nearest to `name`.
const fn nearest(name: &str) -> [&'static Gpu; 3] {
    let mut best = [&Gpu::ALL[0]; 3];
    let mut distances = [usize::MAX; 3];
    let mut at = 0;
    while at < Gpu::COUNT {
        let gpu = &Gpu::ALL[at];
        let distance = edit_distance(name, after_brand(gpu.name));
        let mut place = 3;
        while place > 0 && distance < distances[place - 1] {
            place -= 1;
        }
        if place < 3 {
            let mut moved = 2;
            while moved > place {
                best[moved] = best[moved - 1];
                distances[moved] = distances[moved - 1];
                moved -= 1;
            }
            best[place] = gpu;
            distances[place] = distance;
        }
        at += 1;
    }
    best
}

/// A product name without the brand people leave out.
const fn after_brand(name: &'static str) -> &'static str {
    match strip(name.as_bytes(), b"GeForce ") {
        Some(rest) => match core::str::from_utf8(rest) {
            Ok(rest) => rest,
            Err(_) => name,
        },
        None => name,
    }
}

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

/// A name as it is compared: lower case, letters and digits only, with a mark where a word ends.
struct Key {
    bytes: [u8; Self::LENGTH],
    /// `word_ends[n]`: a word ends after `n` bytes.
    word_ends: [bool; Self::LENGTH + 1],
    length: usize,
}

impl Key {
    const LENGTH: usize = 64;

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
            } else {
                key.word_ends[key.length] = true;
            }
            rest = after;
        }
        key.word_ends[key.length] = true;
        key
    }

    const fn push(&mut self, byte: u8) {
        if self.length < Self::LENGTH {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
    }

    const fn push_all(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            self.push(bytes[at]);
            at += 1;
        }
    }

    const fn is(&self, other: &Key) -> bool {
        self.length == other.length && self.starts_with(other)
    }

    /// Whether `other` is the beginning of this name and ends where one of its words does, a leading `Quadro` aside.
    const fn begins_with(&self, other: &Key) -> bool {
        if other.length <= self.length && self.word_ends[other.length] && self.starts_with(other) {
            return true;
        }
        let quadro = b"quadro";
        if self.length <= quadro.len() || !self.word_ends[quadro.len()] {
            return false;
        }
        let end = quadro.len() + other.length;
        end <= self.length && self.word_ends[end] && self.matches_at(quadro.len(), other)
    }

    const fn starts_with(&self, other: &Key) -> bool {
        self.matches_at(0, other)
    }

    const fn matches_at(&self, start: usize, other: &Key) -> bool {
        let mut at = 0;
        while at < other.length {
            if self.bytes[start + at] != other.bytes[at] {
                return false;
            }
            at += 1;
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
        ] {
            let gpu = Gpu::find(name).unwrap();
            assert_eq!((gpu.name, gpu.sm_count), (full, sms), "{name}");
        }
    }

    #[test]
    fn never_a_guess() {
        for name in ["H100", "RTX 6000", "GTX 1060", "Jetson AGX Orin", "RTX"] {
            assert!(Gpu::find(name).is_err_and(|e| e.ambiguous), "{name}");
        }
        for name in ["", " ", "RTX 4091", "Radeon", "NVIDIA", "40", "日本"] {
            assert!(Gpu::find(name).is_err_and(|e| !e.ambiguous), "{name}");
        }
        assert_eq!(Gpu::find("RTX 4091").unwrap_err().candidates[0].name, "GeForce RTX 4090");
        assert_eq!(
            Gpu::find("H100").unwrap_err().to_string(),
            "several GPUs have this name: `H100 CNX` (sm_90, 114 SMs), `H100 NVL 94 GB` (sm_90, 132 SMs)"
        );
    }
}

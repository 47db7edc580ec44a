//! A text with the offsets of its lines in the file, and a summary of what a reader found in it.

use std::borrow::Cow;

/// A text and its place in the file.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) data: &'a str,
    pub(super) place: Place,
}

impl<'a> Text<'a> {
    /// Returns each line with its offset in the file.
    pub(super) fn lines(self) -> impl Iterator<Item = (u64, &'a str)> {
        let mut at = 0;
        self.data.split('\n').map(move |line| {
            let offset = self.place.offset(at);
            at += line.len() + 1;
            (offset, line)
        })
    }
}

/// The place of a text in the file.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The offset of its first byte.
    pub(super) start: u64,
    /// Bytes in the file for each byte of the text.
    pub(super) unit: u64,
}

impl Place {
    /// Returns the offset in the file of the byte at `at` of the text.
    pub(super) fn offset(self, at: usize) -> u64 {
        self.start.saturating_add((at as u64).saturating_mul(self.unit))
    }
}

/// The replacement of characters that are not ASCII. Readers search for ASCII only.
const REPLACEMENT: char = '`';

/// Returns bytes of any encoding as a text of the same length.
pub(super) fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { REPLACEMENT }).collect(),
    }
}

/// Returns UTF-16 as a text with one byte for each code unit.
pub(super) fn narrow(utf16: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = utf16.as_chunks().0.iter().map(|&bytes| unit(bytes));
    units.map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii).map_or(REPLACEMENT, char::from)).collect()
}

/// A summary of what a reader found in a text.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// Whether the text has the reader's format.
    pub(super) is_recognised: bool,
    pub(super) has_kernels: bool,
    /// Whether `nvcc` states that it prints no resources before device linking.
    pub(super) is_before_linking: bool,
}

impl Found {
    pub(super) fn merge(self, other: Found) -> Found {
        Found {
            is_recognised: self.is_recognised || other.is_recognised,
            has_kernels: self.has_kernels || other.has_kernels,
            is_before_linking: self.is_before_linking || other.is_before_linking,
        }
    }
}

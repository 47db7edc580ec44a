//! A text, its lines and their place in the file, and what a reader found in it.

use std::borrow::Cow;

/// A text, and where it begins in the file.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) data: &'a str,
    pub(super) place: Place,
}

impl<'a> Text<'a> {
    /// Each line with its place in the file.
    pub(super) fn lines(self) -> impl Iterator<Item = (u64, &'a str)> {
        let mut at = 0;
        self.data.split('\n').map(move |line| {
            let offset = self.place.offset(at);
            at += line.len() + 1;
            (offset, line)
        })
    }
}

/// Where a text is in the file.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) start: u64,
    /// Bytes in the file for each byte of the text.
    pub(super) unit: u64,
}

impl Place {
    /// Where the byte at `at` of the text is in the file.
    pub(super) fn offset(self, at: usize) -> u64 {
        self.start.saturating_add((at as u64).saturating_mul(self.unit))
    }
}

/// What stands for a character that was lost. All that is looked for is ASCII.
const LOST: char = '`';

/// Bytes as a text of the same length, whatever their encoding is.
pub(super) fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { LOST }).collect(),
    }
}

/// UTF-16 as a text of one byte for each unit.
pub(super) fn narrow(utf16: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = utf16.as_chunks().0.iter().map(|&bytes| unit(bytes));
    units.map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii).map_or(LOST, char::from)).collect()
}

/// What a reader found in a text.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// It is of the reader's kind.
    pub(super) is_recognised: bool,
    pub(super) has_kernels: bool,
    /// `nvcc` said that it shows nothing before device linking.
    pub(super) is_before_linking: bool,
}

impl Found {
    pub(super) fn with(self, other: Found) -> Found {
        Found {
            is_recognised: self.is_recognised || other.is_recognised,
            has_kernels: self.has_kernels || other.has_kernels,
            is_before_linking: self.is_before_linking || other.is_before_linking,
        }
    }
}

//! What compilers and `cuobjdump` print, and PTX: told apart by content.

mod compiler_log;
pub(crate) mod ptx;
mod resource_usage;

use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::image::KernelImage;
use crate::images::Images;
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use occ_core::Code;
use std::borrow::Cow;

/// Reads PTX, compiler logs and `cuobjdump -res-usage` text; `false` if it is none of them.
///
/// A log may hold what several tools printed, one after another.
///
/// # Errors
///
/// A recognised text that names no kernel, or has something where a number must be.
pub(crate) fn read(bytes: Bytes<'_>, images: &mut Images<'_>) -> Result<bool, Error> {
    let (data, place) = match bytes.data {
        [0xef, 0xbb, 0xbf, rest @ ..] => (as_text(rest), Place { start: bytes.start + 3, unit: 1 }),
        // Windows PowerShell redirects into UTF-16.
        [0xff, 0xfe, rest @ ..] => (narrow(rest, u16::from_le_bytes).into(), Place { start: bytes.start + 2, unit: 2 }),
        [0xfe, 0xff, rest @ ..] => (narrow(rest, u16::from_be_bytes).into(), Place { start: bytes.start + 2, unit: 2 }),
        data => (as_text(data), Place { start: bytes.start, unit: 1 }),
    };
    if let Cow::Owned(data) = &data {
        images.budget().take(data.len() as u64, bytes.start, "a text that is not UTF-8")?;
    }
    let text = Text { data: &data, place };
    if ptx::is_ptx(text) {
        ptx::read_text(text.data.as_bytes(), place, &Origin::whole(Format::Ptx), images)?;
        return Ok(true);
    }
    let log = compiler_log::read(text, images)?;
    let usage = resource_usage::read(text, images)?;
    match (log.with(usage), log.is_before_linking) {
        (Found { is_recognised: false, .. }, _) => Ok(false),
        (Found { has_kernels: true, .. }, _) => Ok(true),
        (_, true) => Err(Error::new(bytes.start, Problem::BeforeLinking)),
        (_, false) => Err(Error::new(bytes.start, Problem::NoKernels)),
    }
}

/// What a reader found in a text.
#[derive(Clone, Copy, Default)]
struct Found {
    /// It is of the reader's kind.
    is_recognised: bool,
    has_kernels: bool,
    /// `nvcc` said that it shows nothing before device linking.
    is_before_linking: bool,
}

impl Found {
    fn with(self, other: Found) -> Found {
        Found {
            is_recognised: self.is_recognised || other.is_recognised,
            has_kernels: self.has_kernels || other.has_kernels,
            is_before_linking: self.is_before_linking || other.is_before_linking,
        }
    }
}

/// A text, and where it begins in the file.
#[derive(Clone, Copy)]
struct Text<'a> {
    data: &'a str,
    place: Place,
}

impl<'a> Text<'a> {
    /// Each line with its place in the file.
    fn lines(self) -> impl Iterator<Item = (u64, &'a str)> {
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
struct Place {
    start: u64,
    /// Bytes in the file for each byte of the text.
    unit: u64,
}

impl Place {
    /// Where the byte at `at` of the text is in the file.
    fn offset(self, at: usize) -> u64 {
        self.start.saturating_add((at as u64).saturating_mul(self.unit))
    }
}

/// What stands for a character that was lost. All that is looked for is ASCII.
const LOST: char = '`';

/// Bytes as a text of the same length, whatever their encoding is.
fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { LOST }).collect(),
    }
}

/// UTF-16 as a text of one byte for each unit.
fn narrow(utf16: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = utf16.as_chunks().0.iter().map(|&bytes| unit(bytes));
    units.map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii).map_or(LOST, char::from)).collect()
}

/// What stands before and after the first `mark` in `line`.
fn split<'a>(line: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    // Most lines lack the letter, which shows at once even in a build without optimisation.
    let is_possible = mark.as_bytes().first().is_some_and(|first| line.as_bytes().contains(first));
    if is_possible { line.split_once(mark) } else { None }
}

/// What stands after the first `mark` in `line`.
fn after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    split(line, mark).map(|(_, after)| after)
}

/// A decimal number that is all of `word`.
fn number(word: &str) -> Option<u32> {
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// The digits that `text` begins with, and the rest.
fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The target in `sm_90a` and what follows it, for machine code or PTX.
fn target(text: &str, code: Code) -> Option<CodeTarget> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    let name = text.get(..end).filter(|name| name.starts_with("sm_"))?;
    Some(CodeTarget { code, ..CodeTarget::parse(name)? })
}

/// A name without the blanks and quotes around it, however a page or a terminal curled them.
fn name(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace() || "'\"`".contains(letter) || !letter.is_ascii())
}

/// A kernel of this name, of which nothing else is known yet.
fn kernel(name: &str, origin: Origin) -> Result<KernelImage, Error> {
    if name.is_empty() {
        let problem = Problem::Malformed { what: "a kernel", expected: "its name" };
        return Err(Error::new(origin.offset, problem));
    }
    Ok(KernelImage::new(name, origin))
}

fn unknown_target(offset: u64) -> Error {
    Error::new(offset, Problem::Malformed { what: "the target of a kernel", expected: "one such as `sm_90a`" })
}

/// The first capability whose cubins reserve shared memory for the driver in the size of each kernel's section.
const FIRST_WITH_RESERVED_SMEM: u32 = 90;
/// The first whose part `nvlink` leaves out of what it prints.
const FIRST_WITHOUT_RESERVED_IN_NVLINK: u32 = 100;
/// Bytes they reserve.
const RESERVED_SMEM: u32 = 1024;
/// Bytes before the parameters in constant bank 0 from that capability on; the ones before have less.
const PARAMETERS_AFTER_RESERVED: u32 = 0x210;

/// The static shared memory in what `nvlink` prints: from 10.0 on it is that, before it is the size of a section.
fn linked_smem(printed: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    let is_own = target.is_some_and(|target| target.number >= FIRST_WITHOUT_RESERVED_IN_NVLINK);
    static_smem(printed, target, has_no_reserve || is_own)
}

/// The static shared memory in the size of a section of final code, of which `cuobjdump` tells.
/// `has_no_reserve`: it is known not to hold the driver's part, whatever the target is.
fn static_smem(size: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    match target {
        _ if size == 0 || has_no_reserve => Some(size),
        Some(target) if target.number < FIRST_WITH_RESERVED_SMEM => Some(size),
        Some(_) => size.checked_sub(RESERVED_SMEM),
        None => None,
    }
}

/// Whether these sizes rule out that the driver's part is in the size of the section.
fn has_no_reserve(smem: u32, constant_bank_0: Option<u32>) -> bool {
    (1..RESERVED_SMEM).contains(&smem) || constant_bank_0.is_some_and(|size| size < PARAMETERS_AFTER_RESERVED)
}

#[cfg(test)]
mod tests;

//! Reads the output of compilers and of `cuobjdump`, and PTX, which it identifies by content.

mod compiler_log;
mod input;
pub(crate) mod ptx;
mod reserve;
mod resource_usage;
mod words;

use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::images::Images;
use crate::origin::{Format, Origin};
use input::{Found, Place, Text, as_text, narrow};
use std::borrow::Cow;

/// Adds the kernels of PTX, a compiler log or `cuobjdump -res-usage` text. Returns `false` for any other text.
///
/// A text can hold the output of several tools, one after another.
///
/// # Errors
///
/// Returns an error if a recognised text names no kernel or has a malformed number.
pub(crate) fn read(bytes: Bytes<'_>, images: &mut Images<'_>) -> Result<bool, Error> {
    let (data, place) = match bytes.data {
        [0xef, 0xbb, 0xbf, rest @ ..] => (as_text(rest), Place { start: bytes.start + 3, unit: 1 }),
        // Windows PowerShell redirects output as UTF-16.
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
    match (log.merge(usage), log.is_before_linking) {
        (Found { is_recognised: false, .. }, _) => Ok(false),
        (Found { has_kernels: true, .. }, _) => Ok(true),
        (_, true) => Err(Error::new(bytes.start, Problem::BeforeLinking)),
        (_, false) => Err(Error::new(bytes.start, Problem::NoKernels)),
    }
}

#[cfg(test)]
mod tests;

//! What compilers and `cuobjdump` print, and PTX: told apart by content.

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

#[cfg(test)]
mod tests;

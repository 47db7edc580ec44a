//! Parses the words of a line: numbers, targets, names.

use crate::error::{Error, Problem};
use crate::image::KernelImage;
use crate::origin::Origin;
use crate::target::CodeTarget;
use occ_core::Code;

/// Splits `line` at the first `separator`.
pub(super) fn split<'a>(line: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    // Most lines lack its first byte, which is quick to find even in unoptimised builds.
    let is_possible = separator.as_bytes().first().is_some_and(|first| line.as_bytes().contains(first));
    if is_possible { line.split_once(separator) } else { None }
}

/// Returns the part of `line` after the first `separator`.
pub(super) fn after<'a>(line: &'a str, separator: &str) -> Option<&'a str> {
    split(line, separator).map(|(_, after)| after)
}

/// Parses a decimal number without a sign.
pub(super) fn number(word: &str) -> Option<u32> {
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// Splits off the digits at the start of `text`.
pub(super) fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Parses the target at the start of a text, `sm_90a`, for machine code or PTX.
pub(super) fn target(text: &str, code: Code) -> Option<CodeTarget> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    let name = text.get(..end).filter(|name| name.starts_with("sm_"))?;
    Some(CodeTarget { code, ..CodeTarget::parse(name)? })
}

/// Removes white space and quotes around a name, including the typographic quotes of web pages and terminals.
pub(super) fn name(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace() || "'\"`".contains(letter) || !letter.is_ascii())
}

/// Creates a kernel with this name; it must not be empty.
pub(super) fn kernel(name: &str, origin: Origin) -> Result<KernelImage, Error> {
    if name.is_empty() {
        let problem = Problem::Malformed { what: "a kernel", expected: "its name" };
        return Err(Error::new(origin.offset, problem));
    }
    Ok(KernelImage::new(name, origin))
}

pub(super) fn unknown_target(offset: u64) -> Error {
    Error::new(offset, Problem::Malformed { what: "the target of a kernel", expected: "one such as `sm_90a`" })
}

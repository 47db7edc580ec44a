//! Words of a line: numbers, targets, names.

use crate::error::{Error, Problem};
use crate::image::KernelImage;
use crate::origin::Origin;
use crate::target::CodeTarget;
use occ_core::Code;

/// What stands before and after the first `mark` in `line`.
pub(super) fn split<'a>(line: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    // Most lines lack the letter, which shows at once even in a build without optimisation.
    let is_possible = mark.as_bytes().first().is_some_and(|first| line.as_bytes().contains(first));
    if is_possible { line.split_once(mark) } else { None }
}

/// What stands after the first `mark` in `line`.
pub(super) fn after<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    split(line, mark).map(|(_, after)| after)
}

/// A decimal number that is all of `word`.
pub(super) fn number(word: &str) -> Option<u32> {
    if word.starts_with('+') { None } else { word.parse().ok() }
}

/// The digits that `text` begins with, and the rest.
pub(super) fn leading_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// The target in `sm_90a` and what follows it, for machine code or PTX.
pub(super) fn target(text: &str, code: Code) -> Option<CodeTarget> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(text.len());
    let name = text.get(..end).filter(|name| name.starts_with("sm_"))?;
    Some(CodeTarget { code, ..CodeTarget::parse(name)? })
}

/// A name without the blanks and quotes around it, however a page or a terminal curled them.
pub(super) fn name(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_ascii_whitespace() || "'\"`".contains(letter) || !letter.is_ascii())
}

/// A kernel of this name, of which nothing else is known yet.
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

//! Calls the demanglers, with limits for malicious names.

use super::path::path;
use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use std::fmt::{self, Write};

/// The maximum length of a demangled name, in bytes. Nested substitutions can make it exponentially long.
const MAX_TEXT_LEN: usize = 64 << 10;

/// The maximum number of letters `B` in a Rust v0 name that is demangled.
const MAX_BACK_REFERENCES: usize = 24;

/// Demangles a Rust name, with or without its generic arguments.
pub(super) fn rust(name: &str, has_arguments: bool) -> Option<String> {
    // Back references can nest without output, so the length of the text does not bound the work.
    let back_references = name.bytes().filter(|&byte| byte == b'B').count();
    if name.starts_with("_R") && back_references > MAX_BACK_REFERENCES {
        return None;
    }
    let mut text = Text { text: String::new() };
    write!(text, "{:#}", rustc_demangle::try_demangle(name).ok()?).ok()?;
    Some(if has_arguments { text.text } else { without_generics(&text.text) })
}

/// Demangles a C++ name.
pub(super) fn cpp(name: &str, options: DemangleOptions) -> Option<String> {
    // For other names the demangler can take exponential time.
    path(name)?;
    let mut text = Text { text: String::new() };
    BorrowedSymbol::new(name.as_bytes()).ok()?.structured_demangle(&mut text, &options).ok()?;
    Some(text.text)
}

/// Removes generic arguments: `gemm::<f32>` → `gemm`.
fn without_generics(text: &str) -> String {
    let mut path = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let opens = rest.starts_with("::<");
        if depth == 0 && !opens {
            path.push(character);
        } else if opens || character == '<' {
            depth += 1;
        } else if character == '>' {
            depth -= 1;
        }
        let length = if opens { 3 } else { character.len_utf8() };
        rest = rest.get(length..).unwrap_or("");
    }
    path
}

/// Demangled text of bounded length.
struct Text {
    text: String,
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len().saturating_add(part.len()) > MAX_TEXT_LEN {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

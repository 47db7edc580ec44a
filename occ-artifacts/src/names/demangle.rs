//! The demanglers, with the bounds that hostile names need.

use super::path::path;
use cpp_demangle::{BorrowedSymbol, DemangleOptions};
use std::fmt::{self, Write};

/// Longest demangled name: a substitution can stand for more than its letters, and hold others.
const LONGEST_TEXT: usize = 64 << 10;

/// Most letters `B` of a Rust v0 name that is demangled.
const MOST_BACK_REFERENCES: usize = 24;

/// Returns a Rust name, with or without its generic arguments.
pub(super) fn rust(name: &str, has_arguments: bool) -> Option<String> {
    // Each may stand for a part that holds others: what is printed does not bound the work.
    let back_references = name.bytes().filter(|&byte| byte == b'B').count();
    if name.starts_with("_R") && back_references > MOST_BACK_REFERENCES {
        return None;
    }
    let mut text = Text { shown: String::new() };
    write!(text, "{:#}", rustc_demangle::try_demangle(name).ok()?).ok()?;
    Some(if has_arguments { text.shown } else { without_generics(&text.shown) })
}

/// Returns a C++ name, as much of it as the options show.
pub(super) fn cpp(name: &str, options: DemangleOptions) -> Option<String> {
    // On other names the demangler can take time that doubles with each letter.
    path(name)?;
    let mut text = Text { shown: String::new() };
    BorrowedSymbol::new(name.as_bytes()).ok()?.structured_demangle(&mut text, &options).ok()?;
    Some(text.shown)
}

/// `gemm::<f32>` → `gemm`.
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

/// Demangled text, bounded.
struct Text {
    shown: String,
}

impl Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.shown.len().saturating_add(part.len()) > LONGEST_TEXT {
            return Err(fmt::Error);
        }
        self.shown.push_str(part);
        Ok(())
    }
}

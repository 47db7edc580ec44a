//! The reasons why a baseline could not be created, read or written.

use super::row::VERSION;
use crate::target::CodeTarget;
use std::fmt;
use std::path::PathBuf;

/// The reason why a baseline could not be created, read or written.
///
/// `{:?}` prints the same text as `{}`, because Rust uses it for errors that `main` returns.
#[non_exhaustive]
pub enum BaselineError {
    /// The text is not JSON of the expected form. Unknown keys are errors, because writing the file would drop them.
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The problem at that place.
        problem: String,
    },
    /// The file was written by a later version of this crate.
    Version {
        /// The version of the file.
        found: u32,
    },
    /// An occupancy is out of range: it must be above 0.0 and at most 1.0.
    Occupancy {
        /// The mangled name of the kernel.
        kernel: String,
        /// The number in the file.
        found: f64,
    },
    /// A kernel occurs twice for one target: with different numbers, or twice in a file.
    Duplicate {
        /// The mangled name of the kernel.
        kernel: String,
        /// The target.
        target: Option<CodeTarget>,
    },
    /// The file could not be read or written.
    File {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The content of a file is not a baseline.
    In {
        /// The path of the file.
        path: PathBuf,
        /// The problem in it.
        error: Box<BaselineError>,
    },
}

impl fmt::Debug for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaselineError::Form { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            BaselineError::Version { found } => {
                write!(
                    f,
                    "unsupported baseline version {found}; this version of `occ-artifacts` reads version {VERSION}"
                )
            }
            BaselineError::Occupancy { kernel, found } => {
                write!(f, "occupancy of `{kernel}` is {found}; expected a number above 0 and at most 1")
            }
            BaselineError::Duplicate { kernel, target } => {
                write!(f, "duplicate kernel `{kernel}`")?;
                target.map_or(Ok(()), |target| write!(f, " for `{target}`"))
            }
            BaselineError::File { path, error } => {
                write!(f, "cannot read or write baseline `{}`: {error}", path.display())?;
                match error.kind() {
                    std::io::ErrorKind::NotFound => f.write_str("; create it with `Baseline::write`"),
                    _ => Ok(()),
                }
            }
            BaselineError::In { path, error } => write!(f, "baseline `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for BaselineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BaselineError::File { error, .. } => Some(error),
            BaselineError::In { error, .. } => Some(error),
            _ => None,
        }
    }
}

//! Why kernels could not be made, and what to change.

use crate::build::said;
use occ_core::UnknownTarget;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why kernels could not be made.
///
/// `{:?}` writes the same words as `{}`: that is how Cargo shows what the `main` of a build script returns.
#[non_exhaustive]
pub enum Error {
    /// A variable that Cargo sets for build scripts is not set.
    NotABuildScript {
        /// The variable.
        variable: &'static str,
    },
    /// The builder has no source, or no architecture.
    Nothing {
        /// How many sources it has.
        sources: usize,
        /// How many architectures.
        archs: usize,
    },
    /// An architecture is not known.
    UnknownArch {
        /// What was written.
        arch: String,
        /// What is wrong with it.
        reason: UnknownTarget,
    },
    /// An architecture is PTX, of which no cubin can be made.
    PtxArch {
        /// What was written.
        arch: String,
    },
    /// A source is not there.
    NoSource {
        /// Its path, as it was given.
        source: PathBuf,
    },
    /// What two sources give would have the same names.
    SameName {
        /// One of them.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// There is no CUDA toolkit, and there are no prebuilt kernels to use instead.
    NoToolkit {
        /// Where one was looked for.
        missing: String,
    },
    /// A compiler refused a source.
    Refused(Box<Refused>),
    /// Prebuilt kernels are to be used, and some are not there.
    NoPrebuilt {
        /// Where they were expected.
        directory: PathBuf,
        /// Their names.
        missing: Vec<String>,
        /// Why prebuilt kernels are to be used.
        why: String,
    },
    /// Prebuilt kernels are to be used, and were compiled from something else than what is there now.
    StalePrebuilt {
        /// Where they are.
        directory: PathBuf,
        /// What is different.
        changed: Vec<String>,
        /// Why prebuilt kernels are to be used.
        why: String,
    },
    /// A file or a program could not be used.
    File {
        /// What could not be done with it.
        verb: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// What a compiler refused, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The source, as it was given.
    pub source: PathBuf,
    /// What it was compiled for.
    pub arch: String,
    /// The version of the toolkit.
    pub version: String,
    /// What was run.
    pub command: String,
    /// Everything it said.
    pub said: String,
    /// Whether prebuilt kernels could be used instead.
    pub has_prebuilt: bool,
}

impl Error {
    pub(crate) fn file(verb: &'static str, path: &Path, error: &io::Error) -> Self {
        Error::File { verb, path: path.to_owned(), reason: error.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotABuildScript { variable } => {
                write!(f, "`{variable}` is not set: kernels are compiled by a build script that Cargo runs")
            }
            Error::Nothing { sources: 0, .. } => {
                f.write_str("no kernels to compile: add sources with `.cuda(..)` or `.ptx(..)`")
            }
            Error::Nothing { .. } => f.write_str("no architecture to compile for: add some with `.archs([\"sm_80\"])`"),
            Error::UnknownArch { arch, reason } => write!(f, "`{arch}` in `.archs(..)`: {reason}"),
            Error::PtxArch { arch } => {
                let machine_code = arch.replacen("compute_", "sm_", 1);
                write!(f, "`{arch}` in `.archs(..)` is PTX: write `{machine_code}`, for the lowest PTX is made as well")
            }
            Error::NoSource { source } => {
                write!(f, "there is no `{}`, which is looked for relative to the package", source.display())
            }
            Error::SameName { first, second } => {
                let (first, second) = (first.display(), second.display());
                write!(f, "`{first}` and `{second}` would give files of the same names: rename one")
            }
            Error::NoToolkit { missing } => {
                write!(f, "no CUDA toolkit: {missing}")?;
                help(f, "install one, or set `CUDA_PATH` to where it is")?;
                help(f, "`.or_prebuilt(..)` uses kernels that were compiled before and are committed with the sources")
            }
            Error::Refused(refused) => write!(f, "{refused}"),
            Error::NoPrebuilt { directory, missing, why } => {
                write!(f, "prebuilt kernels are missing in `{}`: ", directory.display())?;
                write_list(f, missing)?;
                note(f, &format!("they are needed, since {why}"))?;
                help(f, "with a CUDA toolkit, `OCC_UPDATE_PREBUILT=1 cargo build` makes them")
            }
            Error::StalePrebuilt { directory, changed, why } => {
                write!(f, "the prebuilt kernels in `{}` were compiled from something else: ", directory.display())?;
                write_list(f, changed)?;
                f.write_str(" changed since")?;
                note(f, &format!("they would be used, since {why}"))?;
                help(f, "with a CUDA toolkit, `OCC_UPDATE_PREBUILT=1 cargo build` makes them again")?;
                help(f, "`OCC_PREBUILT=stale` uses them as they are")
            }
            Error::File { verb, path, reason } => write!(f, "cannot {verb} `{}`: {reason}", path.display()),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not compile for {}", self.source.display(), self.arch)?;
        for line in said::errors(&self.said) {
            write!(f, "\n  {line}")?;
        }
        if let Some(explanation) = said::explanation(&self.said, &self.version) {
            note(f, &explanation)?;
        }
        note(f, &format!("CUDA {} was run as `{}`", self.version, self.command))?;
        if self.has_prebuilt { help(f, "`OCC_PREBUILT=1` uses the prebuilt kernels instead") } else { Ok(()) }
    }
}

/// Names, not too many.
fn write_list(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    const MOST: usize = 20;
    for (at, name) in names.iter().take(MOST).enumerate() {
        write!(f, "{}`{name}`", if at == 0 { "" } else { ", " })?;
    }
    match names.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

fn note(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\n  = note: {text}")
}

fn help(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\n  = help: {text}")
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

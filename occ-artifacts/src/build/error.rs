//! The reasons why kernels could not be compiled, with help.

use crate::build::output;
use occ_core::UnknownTarget;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why kernels could not be compiled or copied.
///
/// `{:?}` prints the same text as `{}`, because Cargo uses it for errors that the `main` of a build script returns.
#[non_exhaustive]
pub enum Error {
    /// A variable that Cargo sets for build scripts is not set.
    NotABuildScript {
        /// The variable.
        variable: &'static str,
    },
    /// The builder has no source, or no architecture.
    Nothing {
        /// The number of sources.
        sources: usize,
        /// The number of architectures.
        archs: usize,
    },
    /// An architecture is not known.
    UnknownArch {
        /// The name that was given.
        arch: String,
        /// The reason why it is unknown.
        reason: UnknownTarget,
    },
    /// An architecture is a PTX target, for which no cubin can be compiled.
    PtxArch {
        /// The name that was given.
        arch: String,
    },
    /// A source does not exist.
    NoSource {
        /// The path that was given.
        source: PathBuf,
    },
    /// Two sources would be compiled to files with the same names.
    SameName {
        /// The path of one source.
        first: PathBuf,
        /// The path of the other source.
        second: PathBuf,
    },
    /// There is no CUDA toolkit, and there are no prebuilt kernels to use instead.
    NoToolkit {
        /// The places that were searched.
        missing: String,
    },
    /// A compiler rejected a source.
    Refused(Box<Refused>),
    /// Prebuilt kernels are missing.
    NoPrebuilt {
        /// The directory they were expected in.
        directory: PathBuf,
        /// The names of the missing files.
        missing: Vec<String>,
        /// The reason why prebuilt kernels are used.
        why: String,
    },
    /// Prebuilt kernels were compiled from other sources or with other options.
    StalePrebuilt {
        /// The directory they are in.
        directory: PathBuf,
        /// The files that changed, or `the options`.
        changed: Vec<String>,
        /// The reason why prebuilt kernels are used.
        why: String,
    },
    /// A file or a program could not be used.
    File {
        /// The operation that failed: `read`, `run`.
        verb: &'static str,
        /// The path.
        path: PathBuf,
        /// The error of the system.
        reason: String,
    },
}

/// A source that a compiler rejected.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The path of the source, as passed to the builder.
    pub source: PathBuf,
    /// The architecture it was compiled for.
    pub arch: String,
    /// The version of the toolkit.
    pub version: String,
    /// The command that was run.
    pub command: String,
    /// The complete output of the compiler.
    pub output: String,
    /// Whether there is a directory of prebuilt kernels.
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
                write!(f, "`{variable}` is not set; call this from a build script that Cargo runs")
            }
            Error::Nothing { sources: 0, .. } => {
                f.write_str("no kernels to compile; add sources with `.cuda(..)` or `.ptx(..)`")
            }
            Error::Nothing { .. } => f.write_str("no architecture to compile for; add one with `.archs([\"sm_80\"])`"),
            Error::UnknownArch { arch, reason } => write!(f, "`{arch}` in `.archs(..)`: {reason}"),
            Error::PtxArch { arch } => {
                let machine_code = arch.replacen("compute_", "sm_", 1);
                write!(
                    f,
                    "`{arch}` in `.archs(..)` is a PTX target; use `{machine_code}` (PTX for the lowest architecture is compiled too)"
                )
            }
            Error::NoSource { source } => {
                write!(f, "no source `{}` in the package", source.display())
            }
            Error::SameName { first, second } => {
                let (first, second) = (first.display(), second.display());
                write!(f, "`{first}` and `{second}` would be compiled to files with the same names; rename one")
            }
            Error::NoToolkit { missing } => {
                write!(f, "no CUDA toolkit: {missing}")?;
                help(f, "install one, or set `CUDA_PATH` to its directory")?;
                help(f, "call `.or_prebuilt(..)` to use committed kernels")
            }
            Error::Refused(refused) => write!(f, "{refused}"),
            Error::NoPrebuilt { directory, missing, why } => {
                write!(f, "missing prebuilt kernels in `{}`: ", directory.display())?;
                write_list(f, missing)?;
                note(f, &format!("prebuilt kernels are used because {why}"))?;
                help(f, "run `OCC_UPDATE_PREBUILT=1 cargo build` with a CUDA toolkit to create them")
            }
            Error::StalePrebuilt { directory, changed, why } => {
                write!(f, "stale prebuilt kernels in `{}`: ", directory.display())?;
                write_list(f, changed)?;
                f.write_str(" changed since")?;
                note(f, &format!("prebuilt kernels are used because {why}"))?;
                help(f, "run `OCC_UPDATE_PREBUILT=1 cargo build` with a CUDA toolkit to update them")?;
                help(f, "set `OCC_PREBUILT=stale` to use them as they are")
            }
            Error::File { verb, path, reason } => write!(f, "cannot {verb} `{}`: {reason}", path.display()),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not compile for {}", self.source.display(), self.arch)?;
        for line in output::errors(&self.output) {
            write!(f, "\n  {line}")?;
        }
        if let Some(explanation) = output::explanation(&self.output, &self.version) {
            note(f, &explanation)?;
        }
        note(f, &format!("the command of CUDA {} was `{}`", self.version, self.command))?;
        if self.has_prebuilt { help(f, "set `OCC_PREBUILT=1` to use the prebuilt kernels") } else { Ok(()) }
    }
}

/// Writes names in backticks, up to a limit.
fn write_list(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    const MAX_LISTED: usize = 20;
    for (at, name) in names.iter().take(MAX_LISTED).enumerate() {
        write!(f, "{}`{name}`", if at == 0 { "" } else { ", " })?;
    }
    match names.len().saturating_sub(MAX_LISTED) {
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

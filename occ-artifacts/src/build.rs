//! For build scripts: compiles CUDA and PTX sources with the toolkit that is there, or takes prebuilt kernels where none is.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), occ_artifacts::build::Error> {
//!     occ_artifacts::build::Kernels::new()
//!         .cuda("kernels/saxpy.cu")
//!         .archs(["sm_80", "sm_89"])
//!         .or_prebuilt("kernels/prebuilt")
//!         .compile()?;
//!     Ok(())
//! }
//! ```
//!
//! # What is made
//!
//! For each source and architecture, in `OUT_DIR`:
//!
//! | file | what |
//! | --- | --- |
//! | `saxpy.sm_80.cubin` | the kernels, to be launched, and to be checked: `cubin = "$OUT_DIR/saxpy.sm_80.cubin"` |
//! | `saxpy.sm_80.log` | what the compiler said with `-v`: registers, and spills, which no cubin tells |
//! | `saxpy.ptx` | PTX of each CUDA source, for the lowest of the architectures |
//!
//! They are named by the source's file name: it must be the only one of its name, in one builder and in all builders of a
//! build script.
//!
//! Cargo builds again when a source changes, a header, the compiler or one of the variables below. The toolkit's own headers
//! are not watched: they change with the compiler.
//!
//! # Where the toolkit is looked for
//!
//! In `CUDA_PATH`; else in `CUDA_HOME`; else in `PATH`, `/usr/local/cuda`, `/usr/local/cuda-*`, `/opt/cuda` and, on
//! Windows, where the installer puts it, newest first. A variable that is set decides: if there is no compiler where it
//! points, there is no toolkit. `nvcc` is needed for CUDA sources, `ptxas` for PTX.
//!
//! # Variables
//!
//! | variable | value | |
//! | --- | --- | --- |
//! | `OCC_PREBUILT` | `1` | prebuilt kernels are used though there may be a toolkit: for CI |
//! | | `stale` | the same, even if the sources were changed since |
//! | `OCC_UPDATE_PREBUILT` | `1` | what is compiled is also put into the prebuilt directory, to be committed |
//! | `NUM_JOBS` | a number | how many compilers run at once; Cargo sets it |
//!
//! `0` and an empty value are as if a variable were not set. Neither of the first two has an effect without
//! [`Kernels::or_prebuilt`], and updating comes first if both are set.
//!
//! # Prebuilt kernels
//!
//! `OCC_UPDATE_PREBUILT=1 cargo build` makes the directory: the files above, and `SOURCES`, which holds a hash of every
//! source and header of the package they were compiled from, and the options. If one of these is different when prebuilt
//! kernels are to be used, that is an error; if they are compiled, a warning. Times of files are not looked at, since git
//! does not keep them, and line ends do not count.

mod cargo;
mod compiler;
mod depfile;
mod error;
mod package;
mod parallel;
mod plan;
mod prebuilt;
mod said;
mod sources;
mod toolkit;

pub use error::{Error, Refused};

use crate::origin::Format;
use occ_core::Target;
use plan::{Language, Plan};
use std::path::PathBuf;

/// Kernels to compile. Paths are relative to the package.
///
/// Each builder needs sources of its own, and a prebuilt directory of its own.
///
/// ```no_run
/// # fn main() -> Result<(), occ_artifacts::build::Error> {
/// let compiled = occ_artifacts::build::Kernels::new()
///     .cuda("kernels/saxpy.cu")
///     .ptx("kernels/reduce.ptx")
///     .archs(["sm_80", "sm_90a"])
///     .include("kernels/include")
///     .define("UNROLL", "4")
///     .nvcc_args(["--use_fast_math"])
///     .compile()?;
/// for cubin in compiled.cubins() {
///     println!("cargo:warning={}", cubin.path.display());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    sources: Vec<(Language, PathBuf)>,
    archs: Vec<String>,
    includes: Vec<PathBuf>,
    defines: Vec<String>,
    nvcc_args: Vec<String>,
    ptxas_args: Vec<String>,
    prebuilt: Option<PathBuf>,
}

impl Kernels {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a CUDA source, compiled with `nvcc`.
    #[must_use]
    pub fn cuda(mut self, source: impl Into<PathBuf>) -> Self {
        self.sources.push((Language::Cuda, source.into()));
        self
    }

    /// Adds a PTX source, assembled with `ptxas`.
    #[must_use]
    pub fn ptx(mut self, source: impl Into<PathBuf>) -> Self {
        self.sources.push((Language::Ptx, source.into()));
        self
    }

    /// Adds architectures to compile for: `sm_80`, `sm_90a`, `sm_100f`.
    #[must_use]
    pub fn archs(mut self, archs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.archs.extend(archs.into_iter().map(Into::into));
        self
    }

    /// Adds a directory to look for headers in.
    #[must_use]
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.includes.push(directory.into());
        self
    }

    /// Defines a macro in the CUDA sources: `("UNROLL", "4")`, or `("FAST", None)` without a value.
    #[must_use]
    pub fn define<'a>(mut self, name: &str, value: impl Into<Option<&'a str>>) -> Self {
        self.defines.push(match value.into() {
            Some(value) => format!("{name}={value}"),
            None => name.to_owned(),
        });
        self
    }

    /// Adds arguments for `nvcc`: `["--use_fast_math"]`.
    #[must_use]
    pub fn nvcc_args(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.nvcc_args.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds arguments for `ptxas`, which `nvcc` passes on: `["-maxrregcount=64"]`.
    #[must_use]
    pub fn ptxas_args(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.ptxas_args.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Where there is no toolkit, kernels of this directory are used: see [the module](self#prebuilt-kernels).
    #[must_use]
    pub fn or_prebuilt(mut self, directory: impl Into<PathBuf>) -> Self {
        self.prebuilt = Some(directory.into());
        self
    }

    /// Makes the kernels, and tells Cargo what they depend on.
    ///
    /// # Errors
    ///
    /// [`Error`] says what to change. It reads the same with `{:?}`, as Cargo shows what `main` returns.
    pub fn compile(&self) -> Result<Compiled, Error> {
        let plan = Plan::new(self)?;
        let wants_update = self.prebuilt.is_some() && cargo::switch("OCC_UPDATE_PREBUILT").is_some();
        if let Some(directory) = &self.prebuilt
            && !wants_update
            && let Some(value) = cargo::switch("OCC_PREBUILT")
        {
            let why = format!("`OCC_PREBUILT` is `{value}`");
            let reason = prebuilt::Reason { why, is_asked: true, accepts_stale: value == "stale" };
            return prebuilt::take(&plan, directory, reason);
        }
        match (toolkit::find(plan.needs())?, &self.prebuilt) {
            (Ok(toolkit), None) => Ok(compiler::compile(&plan, &toolkit)?.compiled),
            (Ok(toolkit), Some(directory)) => {
                let made = compiler::compile(&plan, &toolkit)?;
                if wants_update {
                    prebuilt::update(&plan, directory, &made)?;
                } else {
                    prebuilt::warn_if_stale(&plan, directory);
                }
                Ok(made.compiled)
            }
            (Err(missing), Some(directory)) if !wants_update => {
                let why = missing.to_string();
                prebuilt::take(&plan, directory, prebuilt::Reason { why, is_asked: false, accepts_stale: false })
            }
            (Err(missing), _) => Err(Error::NoToolkit { missing: missing.to_string() }),
        }
    }
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compiled {
    /// Every file, source by source.
    pub artifacts: Vec<Artifact>,
    /// By what.
    pub made_by: MadeBy,
}

impl Compiled {
    /// The cubins among what was made.
    pub fn cubins(&self) -> impl Iterator<Item = &Artifact> {
        self.artifacts.iter().filter(|artifact| artifact.format == Format::Cubin)
    }
}

/// One file that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub format: Format,
    /// The source, as it was given to the builder.
    pub source: PathBuf,
    /// What it was compiled for: `sm_80`, or `compute_80` for PTX.
    pub target: Target,
}

/// Where kernels came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MadeBy {
    /// A toolkit, now.
    Toolkit {
        /// Its version: `13.5.37`.
        version: String,
    },
    /// A toolkit, before: they are prebuilt.
    Prebuilt,
}

//! The builder: sources, architectures and options.

use super::language::Language;
use std::path::PathBuf;

/// A builder for kernels. Paths are relative to the package.
///
/// Each builder needs its own sources and its own prebuilt directory.
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
    pub(super) sources: Vec<(Language, PathBuf)>,
    pub(super) archs: Vec<String>,
    pub(super) includes: Vec<PathBuf>,
    pub(super) defines: Vec<String>,
    pub(super) nvcc_args: Vec<String>,
    pub(super) ptxas_args: Vec<String>,
    pub(super) prebuilt: Option<PathBuf>,
}

impl Kernels {
    /// Creates a builder without sources.
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

    /// Adds a directory to search for headers.
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

    /// Adds arguments for `ptxas`, also when `nvcc` calls it: `["-maxrregcount=64"]`.
    #[must_use]
    pub fn ptxas_args(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.ptxas_args.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Uses the prebuilt kernels in this directory if there is no toolkit; see [the module](crate::build#prebuilt-kernels).
    #[must_use]
    pub fn or_prebuilt(mut self, directory: impl Into<PathBuf>) -> Self {
        self.prebuilt = Some(directory.into());
        self
    }
}

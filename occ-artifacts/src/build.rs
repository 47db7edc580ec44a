//! For build scripts: compiles CUDA and PTX sources with the installed toolkit, or uses prebuilt kernels if there is none.
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
//! # Output files
//!
//! For each source and architecture, in `OUT_DIR`:
//!
//! | file | content |
//! | --- | --- |
//! | `saxpy.sm_80.cubin` | the kernels, to launch and to check: `cubin = "$OUT_DIR/saxpy.sm_80.cubin"` |
//! | `saxpy.sm_80.log` | the output of the compiler with `-v`: registers, and spills, which cubins do not store |
//! | `saxpy.ptx` | PTX of each CUDA source, for the lowest of the architectures |
//!
//! They are named after the file name of the source, which must be unique among all builders of a build script.
//!
//! A change of a source, a header, the compiler or a variable below triggers a rebuild. The toolkit's own headers are not
//! watched: they change with the compiler.
//!
//! # Search for the toolkit
//!
//! The toolkit is searched for in `CUDA_PATH`; if that is not set, in `CUDA_HOME`; otherwise in `PATH`, `/usr/local/cuda`,
//! `/usr/local/cuda-*`, `/opt/cuda` and, on Windows, the default directory of the installer, newest version first. If one of
//! the two variables is set and its directory has no compiler, no other place is searched. CUDA sources need `nvcc`, PTX
//! sources `ptxas`.
//!
//! # Variables
//!
//! | variable | value | effect |
//! | --- | --- | --- |
//! | `OCC_PREBUILT` | `1` | uses prebuilt kernels even if there is a toolkit, for CI |
//! | | `stale` | the same, even if the sources have changed since |
//! | `OCC_UPDATE_PREBUILT` | `1` | copies the compiled kernels to the prebuilt directory, to be committed |
//! | `NUM_JOBS` | a number | the maximum number of compilers that run at once; set by Cargo |
//!
//! `0` and an empty value have the same effect as an unset variable. The first two have no effect without
//! [`Kernels::or_prebuilt`]; if both are set, the prebuilt kernels are updated.
//!
//! # Prebuilt kernels
//!
//! `OCC_UPDATE_PREBUILT=1 cargo build` creates the directory: the files above, and `SOURCES`, with the options and a hash of
//! each source and header in the package. If any of them has changed, using the prebuilt kernels is an error; compiling gives
//! a warning. File times are ignored, because git does not keep them, and so are differences in line endings.

mod cargo;
mod compiled;
mod compiler;
mod depfile;
mod error;
mod kernels;
mod language;
mod output;
mod package;
mod plan;
mod prebuilt;
mod sources;
mod toolkit;

pub use compiled::{Artifact, Compiled, MadeBy};
pub use error::{Error, Refused};
pub use kernels::Kernels;

use plan::Plan;

impl Kernels {
    /// Compiles the kernels or copies prebuilt ones, and tells Cargo what they depend on.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] with help on what to change. `{:?}` prints the same text as `{}`, because Cargo uses it for errors
    /// that `main` returns.
    pub fn compile(&self) -> Result<Compiled, Error> {
        let plan = Plan::new(self)?;
        let wants_update = self.prebuilt.is_some() && cargo::switch("OCC_UPDATE_PREBUILT").is_some();
        if let Some(directory) = &self.prebuilt
            && !wants_update
            && let Some(value) = cargo::switch("OCC_PREBUILT")
        {
            let why = format!("`OCC_PREBUILT` is `{value}`");
            let reason = prebuilt::Reason { why, is_requested: true, accepts_stale: value == "stale" };
            return prebuilt::copy(&plan, directory, reason);
        }
        match (toolkit::find(plan.needs())?, &self.prebuilt) {
            (Ok(toolkit), None) => Ok(compiler::compile(&plan, &toolkit)?.compiled),
            (Ok(toolkit), Some(directory)) => {
                let compilation = compiler::compile(&plan, &toolkit)?;
                if wants_update {
                    prebuilt::update(&plan, directory, &compilation)?;
                } else {
                    prebuilt::warn_if_stale(&plan, directory);
                }
                Ok(compilation.compiled)
            }
            (Err(missing), Some(directory)) if !wants_update => {
                let why = missing.to_string();
                prebuilt::copy(&plan, directory, prebuilt::Reason { why, is_requested: false, accepts_stale: false })
            }
            (Err(missing), _) => Err(Error::NoToolkit { missing: missing.to_string() }),
        }
    }
}

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
mod kernels;
mod language;
mod made;
mod package;
mod plan;
mod prebuilt;
mod said;
mod sources;
mod toolkit;

pub use error::{Error, Refused};
pub use kernels::Kernels;
pub use made::{Artifact, Compiled, MadeBy};

use plan::Plan;

impl Kernels {
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

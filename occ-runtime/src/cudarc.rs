//! The guard for cudarc 0.19: its launch builder with block and shared memory of a spec.
//!
//! ```no_run
//! use cudarc::driver::{CudaContext, PushKernelArg};
//! use cudarc::nvrtc::Ptx;
//! use occ_runtime::launch_config;
//!
//! #[launch_config(arch = "sm_80", block = 256, registers = 24)]
//! struct Saxpy;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let stream = CudaContext::new(0)?.default_stream();
//!     let module = stream.context().load_module(Ptx::from_file("saxpy.cubin"))?;
//!     let function = module.load_function("saxpy")?;
//!     let (n, mut y) = (1u32 << 20, stream.alloc_zeros::<f32>(1 << 20)?);
//!     let mut launch = Saxpy::SPEC.launch_builder(&stream, &function);
//!     launch.arg(&n).arg(&mut y);
//!     unsafe { launch.launch(n.div_ceil(256))? };
//!     Ok(())
//! }
//! ```

#![allow(unsafe_code)]

use crate::driver::{Cuda, DriverError, Function as Handle, Launched};
use crate::guard::{Admitted, Guard, LaunchError, Report};
use crate::spec::LaunchSpec;
use cudarc::driver::{CudaEvent, CudaFunction, CudaStream, LaunchArgs, LaunchConfig, PushKernelArg};
use std::sync::OnceLock;

/// Returns the guard of the driver that cudarc loads.
///
/// # Errors
///
/// [`DriverError`] if there is no driver, or if it lacks a function.
pub fn guard() -> Result<&'static Guard<Cuda>, DriverError> {
    static GUARD: OnceLock<Result<Guard<Cuda>, DriverError>> = OnceLock::new();
    GUARD.get_or_init(|| Cuda::loaded().map(Guard::new)).as_ref().map_err(|error| *error)
}

/// Returns the handle of a function.
fn handle(function: &CudaFunction) -> Handle {
    // SAFETY: `function` holds its module, which therefore stays loaded while the handle is used. Longer than the borrow it
    // is only kept in verdicts, which compare it, and in a `Bound`, which holds the function too.
    unsafe { Handle::from_raw(function.cu_function()) }
}

/// The grid of a launch: `64`, `(8, 8)`, `(8, 8, 4)` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid([u32; 3]);

impl From<u32> for Grid {
    fn from(x: u32) -> Self {
        Grid([x, 1, 1])
    }
}

impl From<(u32, u32)> for Grid {
    fn from((x, y): (u32, u32)) -> Self {
        Grid([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Grid {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Grid([x, y, z])
    }
}

impl LaunchSpec {
    /// Returns cudarc's configuration for a launch of `grid` blocks with block and shared memory of the spec.
    ///
    /// A launch with it is not guarded; [`LaunchSpec::launch_builder`] guards.
    pub fn cudarc(&self, grid: impl Into<Grid>) -> LaunchConfig {
        let (Grid([x, y, z]), launch) = (grid.into(), self.shape());
        let [block_x, block_y, block_z] = launch.block;
        LaunchConfig {
            grid_dim: (x, y, z),
            block_dim: (block_x, block_y, block_z),
            shared_mem_bytes: launch.dynamic_smem,
        }
    }

    /// Returns cudarc's launch builder, guarded.
    ///
    /// The first launch checks the function. Later ones make three calls to see that it is still the same function;
    /// [`LaunchSpec::bind_cudarc`] saves them.
    pub fn launch_builder<'a>(&'a self, stream: &'a CudaStream, function: &'a CudaFunction) -> GuardedArgs<'a> {
        GuardedArgs { arguments: stream.launch_builder(function), stream, admission: Admission::Open(self, function) }
    }

    /// Checks the spec with a function now, for launches that then make no further call of the driver.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: the launch cannot run on the function's device or misses what is required there, or a call of
    /// the driver failed.
    pub fn bind_cudarc(&self, stream: &CudaStream, function: &CudaFunction) -> Result<Bound, LaunchError> {
        let guard = ready(self, stream)?;
        let admitted = guard.bind(self, handle(function), false)?;
        Ok(Bound { function: function.clone(), admitted })
    }

    /// Returns everything that is read and compared of the spec with a function, for bug reports.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn report_cudarc(&self, stream: &CudaStream, function: &CudaFunction) -> Result<Report, DriverError> {
        bind_context(stream)?;
        guard()?.report(self, handle(function))
    }
}

/// Makes the stream's context current, and returns the guard.
fn ready(spec: &LaunchSpec, stream: &CudaStream) -> Result<&'static Guard<Cuda>, LaunchError> {
    let failed = |error| LaunchError::driver(spec.name(), error);
    bind_context(stream).map_err(failed)?;
    guard().map_err(failed)
}

fn bind_context(stream: &CudaStream) -> Result<(), DriverError> {
    let bound = stream.context().bind_to_thread();
    bound.map_err(|error| DriverError { call: "cuCtxSetCurrent", code: error.0 as i32 })
}

/// A checked function, which keeps its module loaded.
#[derive(Debug)]
pub struct Bound {
    function: CudaFunction,
    admitted: Admitted,
}

impl Bound {
    /// Returns cudarc's launch builder for the function. Its launches make no call of the driver but the launch.
    pub fn launch_builder<'a>(&'a self, stream: &'a CudaStream) -> GuardedArgs<'a> {
        let arguments = stream.launch_builder(&self.function);
        GuardedArgs { arguments, stream, admission: Admission::Bound(&self.admitted) }
    }

    /// Returns what was checked.
    pub const fn admitted(&self) -> &Admitted {
        &self.admitted
    }

    /// Returns the function.
    pub const fn function(&self) -> &CudaFunction {
        &self.function
    }
}

/// cudarc's `LaunchArgs`, whose launch is guarded.
///
/// It takes whatever `LaunchArgs` takes.
#[derive(Debug)]
pub struct GuardedArgs<'a> {
    arguments: LaunchArgs<'a>,
    stream: &'a CudaStream,
    admission: Admission<'a>,
}

#[derive(Debug)]
enum Admission<'a> {
    Open(&'a LaunchSpec, &'a CudaFunction),
    Bound(&'a Admitted),
}

// SAFETY: every argument is passed on to `LaunchArgs` as it is.
unsafe impl<'a, T> PushKernelArg<T> for GuardedArgs<'a>
where
    LaunchArgs<'a>: PushKernelArg<T>,
{
    #[inline(always)]
    fn arg(&mut self, argument: T) -> &mut Self {
        self.arguments.arg(argument);
        self
    }
}

impl<'a> GuardedArgs<'a> {
    /// Launches `grid` blocks.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] if the launch cannot run or misses what is required, [`LaunchError::Driver`] if a call of
    /// the driver fails.
    ///
    /// # Safety
    ///
    /// As of `LaunchArgs::launch`.
    #[inline]
    pub unsafe fn launch(&mut self, grid: impl Into<Grid>) -> Result<Option<(CudaEvent, CudaEvent)>, LaunchError> {
        let Grid(grid) = grid.into();
        let spec = match &self.admission {
            Admission::Bound(admitted) => {
                admitted.admit(grid)?;
                admitted.spec()
            }
            Admission::Open(spec, function) => {
                let launched = Launched { cluster: None, ..Launched::of(spec, grid) };
                ready(spec, self.stream)?.admit(spec, handle(function), &launched)?;
                spec
            }
        };
        // SAFETY: the caller's.
        let launched = unsafe { self.arguments.launch(spec.cudarc((grid[0], grid[1], grid[2]))) };
        launched.map_err(|error| {
            let error = DriverError { call: "cuLaunchKernel", code: error.0 as i32 };
            LaunchError::driver(spec.name(), error)
        })
    }

    /// Returns cudarc's own builder, for example for `record_kernel_launch`.
    pub fn arguments(&mut self) -> &mut LaunchArgs<'a> {
        &mut self.arguments
    }
}

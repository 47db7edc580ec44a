//! Functions bound to a spec, and launches from a spec.

#![allow(unsafe_code)]

use crate::driver::{Cuda, DriverError, Function as Handle, Launched};
use crate::guard::{Admitted, Guard, LaunchError, Report};
use crate::spec::LaunchSpec;
use core::ffi::c_void;
use cust::function::{Function, GridSize};
use cust::stream::Stream;

pub(super) static GUARD: Guard<Cuda> = Guard::new(Cuda::linked());

/// Returns the guard of the driver that cust links the program with.
pub fn guard() -> &'static Guard<Cuda> {
    &GUARD
}

/// Returns the handle of a function.
pub(super) fn handle(function: &Function<'_>) -> Handle {
    // SAFETY: `function` borrows its module, which therefore stays loaded while the handle is used. Only verdicts keep the
    // handle longer, and only compare it.
    unsafe { Handle::from_raw(function.to_raw()) }
}

#[inline]
pub(super) fn axes(grid: GridSize) -> [u32; 3] {
    [grid.x, grid.y, grid.z]
}

/// A checked function whose module is borrowed: its launches make no call of the driver but the launch.
///
/// It dereferences to a [`Function`], so that `launch!` takes it.
///
/// ```no_run
/// # use cust::prelude::*;
/// # use occ_runtime::{LaunchError, LaunchSpec};
/// # fn run(spec: LaunchSpec, module: &Module, stream: &Stream) -> Result<(), LaunchError> {
/// let function = module.get_function("saxpy").expect("the module has it");
/// let saxpy = spec.bind(&function)?; // the driver is asked here
/// for _ in 0..1_000 {
///     unsafe { saxpy.launch(stream, 64, &[])? };
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Bound<'f> {
    function: &'f Function<'f>,
    admitted: Admitted,
}

impl Bound<'_> {
    /// Launches `grid` blocks.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] for a grid that cannot be launched, [`LaunchError::Driver`] if the launch fails.
    ///
    /// # Safety
    ///
    /// As of cust's `Stream::launch`: each of `arguments` points at what the kernel takes there, and the kernel is sound
    /// with it.
    #[inline]
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        grid: impl Into<GridSize>,
        arguments: &[*mut c_void],
    ) -> Result<(), LaunchError> {
        let grid = axes(grid.into());
        self.admitted.admit(grid)?;
        let spec = self.admitted.spec();
        // SAFETY: the function's module is borrowed, and the caller vouches for the arguments.
        unsafe { launch(spec, self.admitted.function(), stream, &Launched::of(spec, grid), arguments) }
    }

    /// Returns what was checked.
    pub const fn admitted(&self) -> &Admitted {
        &self.admitted
    }
}

impl<'f> core::ops::Deref for Bound<'f> {
    type Target = Function<'f>;

    fn deref(&self) -> &Function<'f> {
        self.function
    }
}

/// # Safety
///
/// As of `Bound::launch`.
#[inline]
unsafe fn launch(
    spec: &LaunchSpec,
    function: Handle,
    stream: &Stream,
    launched: &Launched,
    arguments: &[*mut c_void],
) -> Result<(), LaunchError> {
    // SAFETY: the stream is borrowed, and the caller vouches for the rest.
    let result = unsafe { GUARD.driver().launch(function, stream.as_inner().cast(), launched, arguments) };
    result.map_err(|error| LaunchError::driver(spec.name(), error))
}

impl LaunchSpec {
    /// Checks the spec with a function now, for launches that then make no further call of the driver.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: the launch cannot run on the current device or misses what is required there, or a call of the
    /// driver failed.
    pub fn bind<'f>(&self, function: &'f Function<'_>) -> Result<Bound<'f>, LaunchError> {
        let admitted = GUARD.bind(self, handle(function), self.shape().cluster.is_some())?;
        Ok(Bound { function, admitted })
    }

    /// Launches `grid` blocks with block, shared memory and cluster of the spec.
    ///
    /// The first launch checks the function. Later ones make three calls to see that it is still the same function;
    /// [`LaunchSpec::bind`] saves them.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: the launch cannot run or misses what is required, or the driver failed to launch it.
    ///
    /// # Safety
    ///
    /// As of cust's `Stream::launch`: each of `arguments` points at what the kernel takes there, and the kernel is sound
    /// with it.
    pub unsafe fn launch(
        &self,
        stream: &Stream,
        function: &Function<'_>,
        grid: impl Into<GridSize>,
        arguments: &[*mut c_void],
    ) -> Result<(), LaunchError> {
        let (function, launched) = (handle(function), Launched::of(self, axes(grid.into())));
        GUARD.admit(self, function, &launched)?;
        // SAFETY: the function is borrowed, and the caller vouches for the arguments.
        unsafe { launch(self, function, stream, &launched, arguments) }
    }

    /// Returns everything that is read and compared of the spec with a function, for bug reports.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn report(&self, function: &Function<'_>) -> Result<Report, DriverError> {
        GUARD.report(self, handle(function))
    }
}

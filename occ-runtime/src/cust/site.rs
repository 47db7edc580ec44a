//! The guard of launches in cust's own form: `launch!` in an annotated function, and `launch_as`.

#![allow(unsafe_code)]

use super::bound::{Bound, GUARD, axes, handle};
use super::code;
use crate::driver::Launched;
use crate::guard::{LOG_TARGET, LaunchError};
use crate::spec::LaunchSpec;
use core::ffi::c_void;
use cust::error::CudaResult;
use cust::function::{BlockSize, Function, GridSize};
use cust::stream::Stream;

/// A function that a launch names: looked up, or bound to a spec.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be launched", label = "expected a `Function` of cust")]
pub trait Launchable {
    /// Returns itself. As a method call, it also finds a function behind whatever dereferences to one.
    fn launchable(&self) -> &Self {
        self
    }

    /// Returns the function.
    fn function(&self) -> &Function<'_>;

    /// Returns the bound function, if it is one.
    fn bound(&self) -> Option<&Bound<'_>> {
        None
    }
}

impl Launchable for Function<'_> {
    fn function(&self) -> &Function<'_> {
        self
    }
}

impl Launchable for Bound<'_> {
    fn function(&self) -> &Function<'_> {
        self
    }

    fn bound(&self) -> Option<&Bound<'_>> {
        Some(self)
    }
}

impl<T: Launchable + ?Sized> Launchable for &T {
    fn function(&self) -> &Function<'_> {
        T::function(self)
    }

    fn bound(&self) -> Option<&Bound<'_>> {
        T::bound(self)
    }
}

impl<T: Launchable + ?Sized> Launchable for &mut T {
    fn function(&self) -> &Function<'_> {
        T::function(self)
    }

    fn bound(&self) -> Option<&Bound<'_>> {
        T::bound(self)
    }
}

/// Checks a launch against the first spec with its block and shared memory, or against the first spec if none has them.
///
/// # Errors
///
/// The error that the driver would have returned. The log has the reason.
#[inline]
pub fn guard(
    specs: &[&'static LaunchSpec],
    function: &impl Launchable,
    grid: GridSize,
    block: BlockSize,
    dynamic_smem: u32,
) -> CudaResult<()> {
    let launched = launched(grid, block, dynamic_smem);
    match (function.bound(), specs) {
        (Some(bound), [spec]) if bound.admitted().certainly_admits(spec, &launched) => Ok(()),
        (bound, _) => guard_by_any(specs, function.function(), bound, &launched),
    }
}

#[inline(never)]
fn guard_by_any(
    specs: &[&'static LaunchSpec],
    function: &Function<'_>,
    bound: Option<&Bound<'_>>,
    launched: &Launched,
) -> CudaResult<()> {
    let has_shape = |spec: &&&'static LaunchSpec| {
        let shape = spec.shape();
        shape.block == launched.block && shape.dynamic_smem == launched.dynamic_smem
    };
    let Some(spec) = specs.iter().find(has_shape).or(specs.first()).copied() else {
        return Ok(());
    };
    let result = match bound.map(Bound::admitted) {
        Some(admitted) if admitted.is_for(spec) && launched.difference(spec).is_none() => admitted.admit(launched.grid),
        _ => GUARD.admit(spec, handle(function), launched),
    };
    result.map_err(|error| refused(&error))
}

/// Checks a launch against a spec that may not be a constant.
fn guard_by(
    spec: &LaunchSpec,
    function: &Function<'_>,
    grid: GridSize,
    block: BlockSize,
    dynamic_smem: u32,
) -> CudaResult<()> {
    let result = GUARD.admit(spec, handle(function), &launched(grid, block, dynamic_smem));
    result.map_err(|error| refused(&error))
}

/// Returns a launch that passes no cluster.
#[inline]
fn launched(grid: GridSize, block: BlockSize, dynamic_smem: u32) -> Launched {
    Launched { grid: axes(grid), block: [block.x, block.y, block.z], dynamic_smem, cluster: None }
}

#[cold]
fn refused(error: &LaunchError) -> cust::error::CudaError {
    log::error!(target: LOG_TARGET, "{error}");
    code::error(error.cuda_code())
}

/// A drop-in for cust's `Stream::launch` that checks the launch against a spec.
pub trait LaunchAs {
    /// Launches as `Stream::launch` does, if the launch is the one that `spec` declares.
    ///
    /// # Errors
    ///
    /// The driver's error. A refused launch returns the error that it would have met, or the nearest to it, and the log has
    /// the reason.
    ///
    /// # Safety
    ///
    /// As of `Stream::launch`.
    unsafe fn launch_as(
        &self,
        spec: &LaunchSpec,
        function: &Function<'_>,
        grid: impl Into<GridSize>,
        block: impl Into<BlockSize>,
        dynamic_smem: u32,
        arguments: &[*mut c_void],
    ) -> CudaResult<()>;
}

impl LaunchAs for Stream {
    unsafe fn launch_as(
        &self,
        spec: &LaunchSpec,
        function: &Function<'_>,
        grid: impl Into<GridSize>,
        block: impl Into<BlockSize>,
        dynamic_smem: u32,
        arguments: &[*mut c_void],
    ) -> CudaResult<()> {
        let (grid, block) = (grid.into(), block.into());
        guard_by(spec, function, grid, block, dynamic_smem)?;
        // SAFETY: the caller's.
        unsafe { self.launch(function, grid, block, dynamic_smem, arguments) }
    }
}

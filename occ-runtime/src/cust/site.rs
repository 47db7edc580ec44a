//! The guard of a launch that keeps cust's own form: `launch!` in an annotated function, and `launch_as`.

use super::{Bound, GUARD, axes, code, handle};
use crate::guard::{LaunchError, Launched};
use crate::spec::LaunchSpec;
use cust::error::CudaResult;
use cust::function::{BlockSize, Function, GridSize};

/// A function as a launch names it: looked up, or bound to a spec.
pub trait Launchable {
    /// The function.
    fn function(&self) -> &Function<'_>;

    /// What was checked of it, if it is bound.
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
        self.function
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

/// Holds a launch against the one of `specs` it is for: the first with its block and shared memory, else the first.
///
/// # Errors
///
/// What the driver would have returned; the reason goes to the log.
pub fn guard(
    specs: &[&LaunchSpec],
    function: &impl Launchable,
    grid: GridSize,
    block: BlockSize,
    dynamic_smem: u32,
) -> CudaResult<()> {
    let launched = Launched { grid: axes(grid), block: [block.x, block.y, block.z], dynamic_smem, cluster: None };
    let is_meant = |spec: &&&LaunchSpec| {
        let shape = spec.shape();
        shape.block == launched.block && shape.dynamic_smem == launched.dynamic_smem
    };
    let Some(spec) = specs.iter().find(is_meant).or(specs.first()) else {
        return Ok(());
    };
    let admitted = function.bound().map(Bound::admitted).filter(|admitted| admitted.holds(spec, &launched));
    let result = match admitted {
        Some(admitted) => admitted.admit(launched.grid),
        None => GUARD.admit(spec, handle(function.function()), &launched),
    };
    result.map_err(|error| refused(&error))
}

#[cold]
fn refused(error: &LaunchError) -> cust::error::CudaError {
    log::error!(target: "occ_runtime", "{error}");
    code::error(error.cuda_code())
}

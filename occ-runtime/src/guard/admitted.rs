//! A spec that was checked with a function which stays loaded.

use super::device::DeviceReport;
use super::enforce::enforce;
use super::error::LaunchError;
use super::grid::GridRule;
use super::mismatch::Mismatch;
use super::waves::{WaveLog, waves};
use crate::driver::Function;
#[cfg(feature = "cust")]
use crate::driver::Launched;
use crate::spec::{LaunchSpec, OnMismatch};
use occ_core::Waves;
use std::sync::Arc;
#[cfg(feature = "cust")]
use std::sync::atomic::{AtomicUsize, Ordering};

/// A spec that was checked with a function which stays loaded: only the grid is left to check at each launch.
#[derive(Debug)]
pub struct Admitted {
    spec: LaunchSpec,
    function: Function,
    device: Arc<DeviceReport>,
    mode: OnMismatch,
    grid: GridRule,
    blocks_per_sm: u32,
    waves: WaveLog,
    /// Address of the last spec found equal; specs are constants, so it stays valid.
    #[cfg(feature = "cust")]
    equal_spec: AtomicUsize,
}

impl Admitted {
    pub(super) fn new(
        spec: &LaunchSpec,
        function: Function,
        device: &Arc<DeviceReport>,
        mode: OnMismatch,
        grid: GridRule,
        blocks_per_sm: u32,
    ) -> Self {
        Admitted {
            spec: *spec,
            function,
            device: device.clone(),
            mode,
            grid,
            blocks_per_sm,
            waves: WaveLog::new(),
            #[cfg(feature = "cust")]
            equal_spec: AtomicUsize::new(0),
        }
    }

    /// Checks a grid. Makes no call of the driver, takes no lock, and allocates nothing.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] for an empty grid, an axis that is too long, or one that is no multiple of the cluster.
    #[inline]
    pub fn admit(&self, grid: [u32; 3]) -> Result<(), LaunchError> {
        if self.grid.allows(grid) && !self.spec.logs_waves() {
            return Ok(());
        }
        self.admit_slowly(grid)
    }

    #[cold]
    fn admit_slowly(&self, grid: [u32; 3]) -> Result<(), LaunchError> {
        if let Some(refusal) = self.grid.refusal(grid) {
            return enforce(self.mode, &self.spec, &self.device, Mismatch::CannotRun { refusal });
        }
        self.waves.log(&self.spec, &self.device, self.blocks_per_sm, grid);
        Ok(())
    }

    /// Returns whether this launch of `spec` is certainly admitted; `false` where that takes a closer look.
    #[cfg(feature = "cust")]
    #[inline]
    pub(crate) fn certainly_admits(&self, spec: &'static LaunchSpec, launched: &Launched) -> bool {
        let shape = self.spec.shape();
        self.equal_spec.load(Ordering::Relaxed) == core::ptr::from_ref(spec).addr()
            && launched.block == shape.block
            && launched.dynamic_smem == shape.dynamic_smem
            && launched.cluster.is_none()
            && self.grid.allows(launched.grid)
            && !self.spec.logs_waves()
    }

    /// Returns whether `spec` declares the same as the one that was checked, under whatever name.
    #[cfg(feature = "cust")]
    #[inline]
    pub(crate) fn is_for(&self, spec: &'static LaunchSpec) -> bool {
        let address = core::ptr::from_ref(spec).addr();
        self.equal_spec.load(Ordering::Relaxed) == address || self.is_for_equal(spec, address)
    }

    #[cfg(feature = "cust")]
    #[cold]
    fn is_for_equal(&self, spec: &LaunchSpec, address: usize) -> bool {
        let is_equal = self.spec.declares_same(spec);
        if is_equal {
            self.equal_spec.store(address, Ordering::Relaxed);
        }
        is_equal
    }

    /// Returns the spec.
    pub const fn spec(&self) -> &LaunchSpec {
        &self.spec
    }

    /// Returns the function.
    pub const fn function(&self) -> Function {
        self.function
    }

    /// Returns the driver's blocks per SM.
    pub const fn blocks_per_sm(&self) -> u32 {
        self.blocks_per_sm
    }

    /// Returns how a grid would be spread over this device, as waves and their tail, or `None` for an empty grid.
    pub fn waves(&self, grid: [u32; 3]) -> Option<Waves> {
        waves(&self.device, self.blocks_per_sm, grid)
    }
}

//! [`Launch`]: what the programmer decides about a launch.

use crate::carveout::Carveout;

/// The configuration of a launch: block, grid, cluster, shared memory.
///
/// ```
/// use occ_core::Launch;
///
/// let launch = Launch::block([16, 16, 1]).dynamic_smem(8192);
/// assert_eq!(launch.threads(), 256);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Launch {
    /// Threads per block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem: u32,
    /// Whether the function opted in to as much dynamic shared memory as this launch needs.
    pub smem_optin: bool,
    /// Preferred division of on-chip memory between shared memory and L1 cache.
    pub carveout: Carveout,
    /// Blocks per cluster along x, y and z; `None` for a launch without clusters.
    pub cluster: Option<[u32; 3]>,
    /// Blocks of the grid along x, y and z, if known.
    pub grid: Option<[u32; 3]>,
}

impl Launch {
    /// Returns a launch with blocks of `threads` × 1 × 1 threads.
    pub const fn new(threads: u32) -> Self {
        Self::block([threads, 1, 1])
    }

    /// Returns a launch with blocks of the given axes, without dynamic shared memory, cluster, grid or carve-out
    /// preference.
    ///
    /// The opt-in to more shared memory counts as done.
    pub const fn block(block: [u32; 3]) -> Self {
        Launch { block, dynamic_smem: 0, smem_optin: true, carveout: Carveout::Default, cluster: None, grid: None }
    }

    /// Sets the dynamic shared memory per block, in bytes.
    #[must_use]
    pub const fn dynamic_smem(mut self, bytes: u32) -> Self {
        self.dynamic_smem = bytes;
        self
    }

    /// Sets whether `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES` is raised as far as this launch needs.
    #[must_use]
    pub const fn smem_optin(mut self, done: bool) -> Self {
        self.smem_optin = done;
        self
    }

    /// Sets the preferred division of on-chip memory.
    #[must_use]
    pub const fn carveout(mut self, carveout: Carveout) -> Self {
        self.carveout = carveout;
        self
    }

    /// Sets the blocks per cluster along x, y and z.
    #[must_use]
    pub const fn cluster(mut self, axes: [u32; 3]) -> Self {
        self.cluster = Some(axes);
        self
    }

    /// Sets the blocks of the grid along x, y and z.
    #[must_use]
    pub const fn grid(mut self, axes: [u32; 3]) -> Self {
        self.grid = Some(axes);
        self
    }

    /// Returns the threads per block, saturating at `u32::MAX`.
    pub const fn threads(&self) -> u32 {
        product(self.block)
    }
}

/// Returns the product of three axes, saturating at `u32::MAX`. Calls nothing, so that it is cheap in constants.
#[inline(always)]
pub(crate) const fn product(axes: [u32; 3]) -> u32 {
    let [x, y, z] = axes;
    let plane = x as u64 * y as u64;
    let volume = if plane > u32::MAX as u64 { u32::MAX as u64 } else { plane } * z as u64;
    if volume > u32::MAX as u64 { u32::MAX } else { volume as u32 }
}

/// Returns the blocks of a grid, saturating at `u64::MAX`. A grid within its limits has fewer than 2⁶³.
pub(crate) const fn grid_blocks(grid: [u32; 3]) -> u64 {
    (grid[0] as u64).saturating_mul(grid[1] as u64).saturating_mul(grid[2] as u64)
}

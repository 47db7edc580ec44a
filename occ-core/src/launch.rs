//! What the programmer decides about a launch.

use crate::carveout::Carveout;

/// The shape of a launch.
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
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block in bytes.
    pub dynamic_smem: u32,
    /// Whether the function's limit on dynamic shared memory was raised as far as this launch needs.
    pub smem_optin: bool,
    /// The preferred division of on-chip memory.
    pub carveout: Carveout,
    /// Blocks of a cluster along x, y and z; `None` for a launch without clusters.
    pub cluster: Option<[u32; 3]>,
    /// Blocks of the grid along x, y and z, where they are known.
    pub grid: Option<[u32; 3]>,
}

impl Launch {
    /// A launch of blocks of `threads` × 1 × 1.
    pub const fn new(threads: u32) -> Self {
        Self::block([threads, 1, 1])
    }

    /// A launch of blocks of the given axes, without dynamic shared memory, with the opt-in done where it is needed.
    pub const fn block(block: [u32; 3]) -> Self {
        Launch { block, dynamic_smem: 0, smem_optin: true, carveout: Carveout::Default, cluster: None, grid: None }
    }

    /// Sets the dynamic shared memory per block, in bytes.
    #[must_use]
    pub const fn dynamic_smem(mut self, bytes: u32) -> Self {
        self.dynamic_smem = bytes;
        self
    }

    /// Says whether `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES` was raised as far as this launch needs.
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

    /// Sets the blocks of a cluster along x, y and z.
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

    /// Threads of a block; the largest `u32` where the product does not fit one.
    pub const fn threads(&self) -> u32 {
        product(self.block)
    }
}

/// The product of three axes; the largest `u32` where it does not fit one. Without a call, which would cost more.
#[inline(always)]
pub(crate) const fn product(axes: [u32; 3]) -> u32 {
    let [x, y, z] = axes;
    let plane = x as u64 * y as u64;
    let all = if plane > u32::MAX as u64 { u32::MAX as u64 } else { plane } * z as u64;
    if all > u32::MAX as u64 { u32::MAX } else { all as u32 }
}

/// Blocks of a grid. At most 2³¹ × 2¹⁶ × 2¹⁶ for a grid within its limits, saturating beyond.
pub(crate) const fn grid_blocks(grid: [u32; 3]) -> u64 {
    (grid[0] as u64).saturating_mul(grid[1] as u64).saturating_mul(grid[2] as u64)
}

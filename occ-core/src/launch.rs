//! What the compiler decided about a kernel, and what the programmer decides about its launch.

/// The resources of a compiled kernel.
///
/// ```
/// use occ_core::Kernel;
///
/// let kernel = Kernel::new().registers(40).static_smem(4096);
/// assert_eq!(kernel.registers, Some(40));
/// assert_eq!(kernel.barriers, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Kernel {
    /// Registers per thread. `None` where they are not known; then registers limit nothing.
    pub registers: Option<u32>,
    /// Static shared memory per block in bytes, without what the driver reserves.
    pub static_smem: u32,
    /// Named barriers a block uses, 0 to 16. NVIDIA's own calculation assumes 1.
    pub barriers: u32,
    /// Virtual resources a block takes: 128, the whole pool, for kernels that allocate tensor memory, else 0.
    pub virtual_resources: u32,
    /// The kernel's own bound on threads per block (`__launch_bounds__`), where it has one.
    pub max_threads: Option<u32>,
    /// What else it says of its own launch, where it says something.
    pub bounds: Option<LaunchBounds>,
    /// Whether it caches globals in L1 (5.2, 5.3, 6.1 and 6.2 only; without effect elsewhere).
    pub l1_caching: bool,
}

impl Kernel {
    /// A kernel of unknown registers, without static shared memory, with one barrier.
    pub const fn new() -> Self {
        Kernel {
            registers: None,
            static_smem: 0,
            barriers: 1,
            virtual_resources: 0,
            max_threads: None,
            bounds: None,
            l1_caching: false,
        }
    }

    /// Sets the registers per thread.
    #[must_use]
    pub const fn registers(mut self, per_thread: u32) -> Self {
        self.registers = Some(per_thread);
        self
    }

    /// Sets the static shared memory per block, in bytes.
    #[must_use]
    pub const fn static_smem(mut self, bytes: u32) -> Self {
        self.static_smem = bytes;
        self
    }

    /// Sets the named barriers a block uses, 0 to 16.
    #[must_use]
    pub const fn barriers(mut self, barriers: u32) -> Self {
        self.barriers = barriers;
        self
    }

    /// Sets the virtual resources a block takes (tensor-memory permits: 128 for a kernel that allocates any).
    #[must_use]
    pub const fn virtual_resources(mut self, virtual_resources: u32) -> Self {
        self.virtual_resources = virtual_resources;
        self
    }

    /// Sets the kernel's own bound on threads per block.
    #[must_use]
    pub const fn max_threads(mut self, threads: u32) -> Self {
        self.max_threads = Some(threads);
        self
    }

    /// Sets what else the kernel says of its own launch.
    #[must_use]
    pub const fn bounds(mut self, bounds: LaunchBounds) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Says that the kernel caches globals in L1 (`-Xptxas -dlcm=ca`), which matters on 5.2, 5.3, 6.1 and 6.2.
    #[must_use]
    pub const fn l1_caching(mut self, on: bool) -> Self {
        self.l1_caching = on;
        self
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

/// What a kernel says of its own launch besides its most threads. `None` where it says nothing.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, LaunchBounds, occupancy};
///
/// let bounds = LaunchBounds { required_block: Some([128, 1, 1]), ..LaunchBounds::new() };
/// let kernel = Kernel::new().bounds(bounds);
/// assert!(occupancy(Arch::SM_90.limits(), &kernel, &Launch::new(128)).is_ok());
/// assert!(occupancy(Arch::SM_90.limits(), &kernel, &Launch::new(64)).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LaunchBounds {
    /// The one block it can be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// The one cluster it can be launched with, in blocks (`__cluster_dims__`). A launch without a cluster gets it.
    pub required_cluster: Option<[u32; 3]>,
    /// Most blocks of a cluster (`.maxclusterrank`).
    pub max_cluster_blocks: Option<u32>,
    /// Whether it must be launched as clusters, of whatever size (`.explicitcluster`).
    pub needs_cluster: bool,
    /// Whether the grid of a launch counts clusters instead of blocks (`.blocksareclusters`).
    pub grid_counts_clusters: bool,
}

impl LaunchBounds {
    /// No bounds.
    pub const fn new() -> Self {
        LaunchBounds {
            required_block: None,
            required_cluster: None,
            max_cluster_blocks: None,
            needs_cluster: false,
            grid_counts_clusters: false,
        }
    }
}

/// How shared memory and L1 cache are asked to divide the on-chip memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Carveout {
    /// No preference: as much shared memory as there is.
    #[default]
    Default,
    /// Percent of the SM's shared memory, 0 to 100 (7.0 and later; without effect before). 0 is
    /// `CU_SHAREDMEM_CARVEOUT_MAX_L1`, 100 is `CU_SHAREDMEM_CARVEOUT_MAX_SHARED`.
    Percent(u8),
    /// `CU_FUNC_CACHE_PREFER_SHARED`, on 7.0 and later the same as 100 %.
    PreferShared,
    /// `CU_FUNC_CACHE_PREFER_L1`, on 7.0 and later the same as 0 %.
    PreferL1,
    /// `CU_FUNC_CACHE_PREFER_EQUAL`, on 7.0 and later the same as 50 %.
    PreferEqual,
}

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

/// The product of three axes; the largest `u32` where it does not fit one.
pub(crate) const fn product(axes: [u32; 3]) -> u32 {
    axes[0].saturating_mul(axes[1]).saturating_mul(axes[2])
}

/// Blocks of a grid. At most 2³¹ × 2¹⁶ × 2¹⁶ for a grid within its limits, saturating beyond.
pub(crate) const fn grid_blocks(grid: [u32; 3]) -> u64 {
    (grid[0] as u64).saturating_mul(grid[1] as u64).saturating_mul(grid[2] as u64)
}

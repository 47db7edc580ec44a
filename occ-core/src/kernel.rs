//! What the compiler decided about a kernel.

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
#[non_exhaustive]
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
/// let kernel = Kernel::new().bounds(LaunchBounds::new().required_block([128, 1, 1]));
/// assert!(occupancy(Arch::SM_90.limits(), &kernel, &Launch::new(128)).is_ok());
/// assert!(occupancy(Arch::SM_90.limits(), &kernel, &Launch::new(64)).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
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

    /// Sets the only block the kernel can be launched with.
    #[must_use]
    pub const fn required_block(mut self, axes: [u32; 3]) -> Self {
        self.required_block = Some(axes);
        self
    }

    /// Sets the only cluster the kernel can be launched with, in blocks.
    #[must_use]
    pub const fn required_cluster(mut self, axes: [u32; 3]) -> Self {
        self.required_cluster = Some(axes);
        self
    }

    /// Sets the maximum number of blocks in a cluster.
    #[must_use]
    pub const fn max_cluster_blocks(mut self, blocks: u32) -> Self {
        self.max_cluster_blocks = Some(blocks);
        self
    }

    /// Sets whether the kernel must be launched as clusters of any size.
    #[must_use]
    pub const fn needs_cluster(mut self, needed: bool) -> Self {
        self.needs_cluster = needed;
        self
    }

    /// Sets whether the grid of a launch counts clusters instead of blocks.
    #[must_use]
    pub const fn grid_counts_clusters(mut self, counted: bool) -> Self {
        self.grid_counts_clusters = counted;
        self
    }
}

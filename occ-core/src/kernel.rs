//! [`Kernel`]: what the compiler decides about a kernel, and the bounds it was compiled with.

/// The resources of a compiled kernel.
///
/// Start with [`Kernel::new`] and set what is known.
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
    /// Registers per thread; `None` where they are not known, and then they limit nothing.
    pub registers: Option<u32>,
    /// Static shared memory per block in bytes, without the driver's reservation.
    pub static_smem: u32,
    /// Named barriers per block, 0 to 16. NVIDIA's calculator assumes 1.
    pub barriers: u32,
    /// Virtual resources per block: 128, all of an SM's, for kernels that allocate tensor memory, else 0.
    pub virtual_resources: u32,
    /// Maximum threads per block that the kernel was compiled for (`__launch_bounds__`), if any.
    pub max_threads: Option<u32>,
    /// Other bounds that the kernel was compiled with, if any.
    pub bounds: Option<LaunchBounds>,
    /// Whether the kernel caches globals in L1. Matters only on 5.2, 5.3, 6.1 and 6.2.
    pub l1_caching: bool,
}

impl Kernel {
    /// Returns a kernel with unknown registers, one barrier, no static shared memory and no bounds.
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

    /// Sets the named barriers per block, 0 to 16.
    #[must_use]
    pub const fn barriers(mut self, barriers: u32) -> Self {
        self.barriers = barriers;
        self
    }

    /// Sets the virtual resources per block (tensor-memory permits: 128 for a kernel that allocates any).
    #[must_use]
    pub const fn virtual_resources(mut self, virtual_resources: u32) -> Self {
        self.virtual_resources = virtual_resources;
        self
    }

    /// Sets the maximum threads per block that the kernel was compiled for.
    #[must_use]
    pub const fn max_threads(mut self, threads: u32) -> Self {
        self.max_threads = Some(threads);
        self
    }

    /// Sets the other bounds that the kernel was compiled with.
    #[must_use]
    pub const fn bounds(mut self, bounds: LaunchBounds) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Sets whether the kernel caches globals in L1 (`-Xptxas -dlcm=ca`). Matters only on 5.2, 5.3, 6.1 and 6.2.
    #[must_use]
    pub const fn l1_caching(mut self, enabled: bool) -> Self {
        self.l1_caching = enabled;
        self
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

/// The bounds on its launches that a kernel was compiled with, besides the maximum number of threads.
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
    /// Only block the kernel can be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// Only cluster the kernel can be launched with, in blocks (`__cluster_dims__`). A launch without a cluster gets
    /// it.
    pub required_cluster: Option<[u32; 3]>,
    /// Maximum blocks per cluster (`.maxclusterrank`).
    pub max_cluster_blocks: Option<u32>,
    /// Whether the kernel must be launched as clusters of any size (`.explicitcluster`).
    pub needs_cluster: bool,
    /// Whether the grid of a launch counts clusters instead of blocks (`.blocksareclusters`).
    pub grid_counts_clusters: bool,
}

impl LaunchBounds {
    /// Returns no bounds.
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

//! [`Refusal`]: why a launch cannot run at all, and the CUDA error it meets.

use crate::allocation::{Allocation, registers_per_warp};
use crate::block_limits::Resource;
use crate::kernel::{Kernel, LaunchBounds};
use crate::launch::{Launch, product};
use crate::limits::SmLimits;

/// An axis of a block or a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Axis {
    /// The first axis.
    X,
    /// The second axis.
    Y,
    /// The third axis.
    Z,
}

impl Axis {
    const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// Returns the letter of the axis.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        }
    }
}

/// The reason why a launch cannot run on an SM, with what was asked and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Refusal {
    /// An axis of the block is 0.
    EmptyBlock {
        /// The axis.
        axis: Axis,
    },
    /// An axis of the block is longer than the limit.
    BlockAxis {
        /// The axis.
        axis: Axis,
        /// Threads along the axis.
        threads: u32,
        /// Maximum threads along the axis.
        most: u32,
    },
    /// The block has too many threads.
    BlockThreads {
        /// Threads of the block, saturating.
        threads: u32,
        /// Maximum threads per block.
        most: u32,
    },
    /// The block has more threads than the kernel was compiled for (`__launch_bounds__`).
    KernelThreads {
        /// Threads of the block.
        threads: u32,
        /// Maximum threads that the kernel was compiled for.
        most: u32,
    },
    /// The kernel was compiled for another block.
    KernelBlock {
        /// The block.
        block: [u32; 3],
        /// What the kernel was compiled for.
        required: [u32; 3],
    },
    /// A thread uses more registers than possible.
    RegistersPerThread {
        /// Registers per thread.
        registers: u32,
        /// Maximum registers per thread.
        most: u32,
    },
    /// One block needs more registers than a block can get.
    RegistersPerBlock {
        /// Registers per thread.
        registers: u32,
        /// Warps of the block.
        warps: u32,
        /// Registers that the block needs, after rounding.
        needed: u64,
        /// Maximum registers per block.
        most: u32,
    },
    /// One block needs more shared memory than the opt-in allows.
    SharedMemory {
        /// Static and dynamic shared memory of the block, in bytes.
        bytes: u64,
        /// Maximum static and dynamic shared memory, in bytes.
        most: u32,
    },
    /// One block needs shared memory that requires the opt-in, which is not done.
    SharedMemoryOptIn {
        /// Static and dynamic shared memory of the block, in bytes.
        bytes: u64,
        /// Maximum static and dynamic shared memory without the opt-in, in bytes.
        most: u32,
        /// Maximum static and dynamic shared memory with the opt-in, in bytes.
        most_after_optin: u32,
    },
    /// A block uses more named barriers than possible.
    Barriers {
        /// Barriers of the block.
        barriers: u32,
        /// Maximum barriers per block.
        most: u32,
    },
    /// A block needs more virtual resources than the SM has.
    VirtualResources {
        /// Virtual resources of the block.
        virtual_resources: u32,
        /// Virtual resources of the SM.
        most: u32,
    },
    /// Clusters do not exist on this capability.
    NoClusters,
    /// An axis of the cluster is 0.
    EmptyCluster {
        /// The axis.
        axis: Axis,
    },
    /// A cluster has too many blocks.
    ClusterBlocks {
        /// Blocks of the cluster, saturating.
        blocks: u32,
        /// Most blocks of a cluster.
        most: u32,
    },
    /// The kernel was compiled for one cluster only, and this is another.
    KernelCluster {
        /// The cluster.
        cluster: [u32; 3],
        /// What the kernel was compiled for.
        required: [u32; 3],
    },
    /// The kernel must be launched as clusters, and this launch has none.
    KernelNeedsCluster,
    /// The cluster has more blocks than the kernel was compiled for.
    KernelClusterBlocks {
        /// Blocks of the cluster, saturating.
        blocks: u32,
        /// Maximum threads that the kernel was compiled for.
        most: u32,
    },
    /// The grid is not a whole number of clusters along an axis.
    PartialCluster {
        /// The axis.
        axis: Axis,
        /// Blocks of the grid along it.
        grid: u32,
        /// Blocks of the cluster along it.
        cluster: u32,
    },
    /// An axis of the grid is 0.
    EmptyGrid {
        /// The axis.
        axis: Axis,
    },
    /// An axis of the grid is too long.
    GridAxis {
        /// The axis.
        axis: Axis,
        /// Blocks along the axis.
        blocks: u32,
        /// Maximum blocks along the axis.
        most: u32,
    },
    /// An SM built by hand has no room for a block in this resource.
    NoRoom {
        /// The resource.
        resource: Resource,
    },
}

/// An error of the CUDA driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CudaError {
    /// Name in `cuda.h`.
    pub name: &'static str,
    /// Number in `cuda.h`.
    pub code: u32,
}

impl CudaError {
    const INVALID_VALUE: CudaError = CudaError { name: "CUDA_ERROR_INVALID_VALUE", code: 1 };
    const OUT_OF_RESOURCES: CudaError = CudaError { name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", code: 701 };
    const INVALID_CLUSTER_SIZE: CudaError = CudaError { name: "CUDA_ERROR_INVALID_CLUSTER_SIZE", code: 912 };
}

impl Refusal {
    /// Returns the error that `cuLaunchKernel` would return, if the launch gets that far.
    ///
    /// Returns `None` for kernels that no compiler makes (too many registers per thread, barriers or virtual resources,
    /// clusters before 9.0), and for another block or cluster than the kernel was compiled for: NVIDIA does not
    /// document that error.
    ///
    /// ```
    /// use occ_core::{Arch, Kernel, Launch, occupancy};
    ///
    /// let refusal = occupancy(Arch::SM_80.limits(), &Kernel::new().registers(255), &Launch::new(258)).unwrap_err();
    /// assert_eq!(refusal.cuda_error().unwrap().code, 701);
    /// ```
    pub const fn cuda_error(&self) -> Option<CudaError> {
        match self {
            Refusal::RegistersPerBlock { .. } => Some(CudaError::OUT_OF_RESOURCES),
            Refusal::EmptyBlock { .. }
            | Refusal::BlockAxis { .. }
            | Refusal::BlockThreads { .. }
            | Refusal::KernelThreads { .. }
            | Refusal::SharedMemory { .. }
            | Refusal::SharedMemoryOptIn { .. }
            | Refusal::EmptyGrid { .. }
            | Refusal::GridAxis { .. } => Some(CudaError::INVALID_VALUE),
            Refusal::EmptyCluster { .. } | Refusal::ClusterBlocks { .. } | Refusal::PartialCluster { .. } => {
                Some(CudaError::INVALID_CLUSTER_SIZE)
            }
            Refusal::RegistersPerThread { .. }
            | Refusal::Barriers { .. }
            | Refusal::VirtualResources { .. }
            | Refusal::NoClusters
            | Refusal::KernelBlock { .. }
            | Refusal::KernelCluster { .. }
            | Refusal::KernelNeedsCluster
            | Refusal::KernelClusterBlocks { .. }
            | Refusal::NoRoom { .. } => None,
        }
    }
}

impl core::error::Error for Refusal {}

/// Returns the first reason why `launch` cannot run, or `None` if it can.
#[inline(always)]
pub(crate) const fn refusal(
    sm: &SmLimits,
    kernel: &Kernel,
    launch: &Launch,
    allocation: &Allocation,
    blocks_per_sm: u32,
) -> Option<Refusal> {
    let [x, y, z] = launch.block;
    let [most_x, most_y, most_z] = sm.max_block_axes;
    if x == 0 || y == 0 || z == 0 || x > most_x || y > most_y || z > most_z {
        return Some(block_axis(sm, launch.block));
    }
    let threads = launch.threads();
    if threads > sm.max_threads_per_block {
        return Some(Refusal::BlockThreads { threads, most: sm.max_threads_per_block });
    }
    if let Some(most) = kernel.max_threads
        && threads > most
    {
        return Some(Refusal::KernelThreads { threads, most });
    }
    if let Some(bounds) = &kernel.bounds
        && let Some(refusal) = outside_bounds(bounds, launch)
    {
        return Some(refusal);
    }
    if blocks_per_sm == 0 {
        return Some(no_room(sm, kernel, launch, allocation));
    }
    if kernel.barriers > sm.barriers_per_block {
        return Some(Refusal::Barriers { barriers: kernel.barriers, most: sm.barriers_per_block });
    }
    if let Some(cluster) = cluster(kernel, launch)
        && let Some(refusal) = cluster_shape(sm, cluster, grid_in_blocks(kernel, launch))
    {
        return Some(refusal);
    }
    if let Some(grid) = launch.grid {
        return grid_shape(sm, grid);
    }
    None
}

/// Returns the cluster of a launch, which is the kernel's own where the launch has none.
pub(crate) const fn cluster(kernel: &Kernel, launch: &Launch) -> Option<[u32; 3]> {
    match (launch.cluster, &kernel.bounds) {
        (None, Some(bounds)) => bounds.required_cluster,
        (cluster, _) => cluster,
    }
}

/// Returns the grid if it counts blocks, and so may not be a whole number of clusters.
const fn grid_in_blocks(kernel: &Kernel, launch: &Launch) -> Option<[u32; 3]> {
    match &kernel.bounds {
        Some(bounds) if bounds.grid_counts_clusters => None,
        _ => launch.grid,
    }
}

/// Returns how a launch violates the bounds that the kernel was compiled with.
const fn outside_bounds(bounds: &LaunchBounds, launch: &Launch) -> Option<Refusal> {
    if let Some(required) = bounds.required_block
        && !same_axes(launch.block, required)
    {
        return Some(Refusal::KernelBlock { block: launch.block, required });
    }
    let Some(cluster) = launch.cluster else {
        let is_missing = bounds.needs_cluster && bounds.required_cluster.is_none();
        return if is_missing { Some(Refusal::KernelNeedsCluster) } else { None };
    };
    if let Some(required) = bounds.required_cluster
        && !same_axes(cluster, required)
    {
        return Some(Refusal::KernelCluster { cluster, required });
    }
    match bounds.max_cluster_blocks {
        Some(most) if product(cluster) > most => Some(Refusal::KernelClusterBlocks { blocks: product(cluster), most }),
        _ => None,
    }
}

/// Returns whether two blocks or clusters are equal: `==` is not `const`.
const fn same_axes(a: [u32; 3], b: [u32; 3]) -> bool {
    a[0] == b[0] && a[1] == b[1] && a[2] == b[2]
}

/// Returns which axis of a block is empty or too long, when one is known to be.
#[cold]
const fn block_axis(sm: &SmLimits, block: [u32; 3]) -> Refusal {
    let mut at = 0;
    while at < 3 {
        if block[at] == 0 {
            return Refusal::EmptyBlock { axis: Axis::ALL[at] };
        }
        at += 1;
    }
    // An axis that is too long is reported as too many threads, which have to change; only z has a limit of its own.
    let threads = product(block);
    if threads > sm.max_threads_per_block {
        return Refusal::BlockThreads { threads, most: sm.max_threads_per_block };
    }
    at = 0;
    while at < 2 && block[at] <= sm.max_block_axes[at] {
        at += 1;
    }
    Refusal::BlockAxis { axis: Axis::ALL[at], threads: block[at], most: sm.max_block_axes[at] }
}

/// Returns which resource has no room for even one block.
#[cold]
const fn no_room(sm: &SmLimits, kernel: &Kernel, launch: &Launch, allocation: &Allocation) -> Refusal {
    let limits = &allocation.limits;
    if let (Some(0), Some(registers)) = (limits.registers, kernel.registers) {
        let most = sm.max_registers_per_thread;
        if registers > most {
            return Refusal::RegistersPerThread { registers, most };
        }
        let warps = allocation.warps_per_block;
        let per_warp = registers_per_warp(sm, registers);
        let parts = sm.launch_sub_partitions.get();
        let counted = (warps as u64).next_multiple_of(parts as u64);
        let needed = (per_warp as u64).saturating_mul(counted);
        return Refusal::RegistersPerBlock { registers, warps, needed, most: sm.registers_per_block };
    }
    if let Some(0) = limits.shared_memory {
        let bytes = kernel.static_smem as u64 + launch.dynamic_smem as u64;
        let most = sm.max_smem_per_block(launch.smem_optin);
        if !launch.smem_optin && bytes <= sm.smem_per_block_optin as u64 {
            return Refusal::SharedMemoryOptIn { bytes, most, most_after_optin: sm.smem_per_block_optin };
        }
        return Refusal::SharedMemory { bytes, most: sm.smem_per_block_optin };
    }
    if let Some(0) = limits.barriers {
        return Refusal::Barriers { barriers: kernel.barriers, most: sm.barriers_per_block };
    }
    if let (Some(0), Some(most)) = (limits.virtual_resources, sm.virtual_resources_per_sm) {
        return Refusal::VirtualResources { virtual_resources: kernel.virtual_resources, most };
    }
    Refusal::NoRoom { resource: if limits.warps == 0 { Resource::Warps } else { Resource::Blocks } }
}

/// Returns why a cluster, or a grid in blocks with it, is not possible on an SM.
const fn cluster_shape(sm: &SmLimits, cluster: [u32; 3], grid: Option<[u32; 3]>) -> Option<Refusal> {
    let Some(portable) = sm.max_cluster_portable else {
        // A cluster of one block is a launch without clusters.
        return if product(cluster) == 1 { None } else { Some(Refusal::NoClusters) };
    };
    let mut at = 0;
    while at < 3 {
        if cluster[at] == 0 {
            return Some(Refusal::EmptyCluster { axis: Axis::ALL[at] });
        }
        at += 1;
    }
    let most = match sm.max_cluster {
        Some(most) => most,
        None => portable,
    };
    let blocks = product(cluster);
    if blocks > most {
        return Some(Refusal::ClusterBlocks { blocks, most });
    }
    let Some(grid) = grid else {
        return None;
    };
    at = 0;
    while at < 3 {
        if !grid[at].is_multiple_of(cluster[at]) {
            return Some(Refusal::PartialCluster { axis: Axis::ALL[at], grid: grid[at], cluster: cluster[at] });
        }
        at += 1;
    }
    None
}

/// Returns why a grid is not possible on an SM.
const fn grid_shape(sm: &SmLimits, grid: [u32; 3]) -> Option<Refusal> {
    let mut at = 0;
    while at < 3 {
        if grid[at] == 0 {
            return Some(Refusal::EmptyGrid { axis: Axis::ALL[at] });
        }
        if grid[at] > sm.max_grid_axes[at] {
            return Some(Refusal::GridAxis { axis: Axis::ALL[at], blocks: grid[at], most: sm.max_grid_axes[at] });
        }
        at += 1;
    }
    None
}

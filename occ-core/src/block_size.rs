//! The block size with which an SM holds the most threads.

use crate::arithmetic::{min, round_up};
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::occupancy::occupancy;

/// A block size, and the blocks per SM with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BlockSize {
    /// Threads per block.
    pub threads: u32,
    /// Resident blocks per SM.
    pub blocks_per_sm: u32,
}

impl BlockSize {
    /// Returns the blocks that fill a GPU of `sm_count` SMs once, saturating.
    pub const fn full_grid(&self, sm_count: u32) -> u32 {
        self.blocks_per_sm.saturating_mul(sm_count)
    }
}

/// Dynamic shared memory that grows linearly with the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSmem {
    /// Bytes per block.
    pub per_block: u32,
    /// Bytes per thread, in addition.
    pub per_thread: u32,
}

impl BlockSmem {
    /// Returns the dynamic shared memory of a block of `threads` threads in bytes, saturating.
    pub const fn of(self, threads: u32) -> u32 {
        self.per_thread.saturating_mul(threads).saturating_add(self.per_block)
    }
}

/// Returns the one-dimensional block size with which an SM holds the most threads.
///
/// Every block has the dynamic shared memory of `launch`, whose block, cluster and grid do not matter. The largest of
/// several equally good sizes wins, as in `cudaOccMaxPotentialOccupancyBlockSize`. Returns `None` if the kernel cannot
/// run with any.
///
/// Higher occupancy is not always faster: start measuring here.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, best_block_size};
///
/// let best = best_block_size(Arch::SM_86.limits(), &Kernel::new().registers(40), &Launch::new(1)).unwrap();
/// assert_eq!((best.threads, best.blocks_per_sm), (768, 2));
/// ```
pub const fn best_block_size(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Option<BlockSize> {
    best_block_size_for(sm, kernel, launch, BlockSmem { per_block: launch.dynamic_smem, per_thread: 0 })
}

/// Returns the same as [`best_block_size`] for dynamic shared memory that grows linearly with the block.
///
/// ```
/// use occ_core::{Arch, BlockSmem, Kernel, Launch, best_block_size_for};
///
/// let sm = Arch::SM_80.limits();
/// let kernel = Kernel::new().registers(32);
/// let smem = BlockSmem { per_block: 0, per_thread: 160 };
/// let best = best_block_size_for(sm, &kernel, &Launch::new(1), smem).unwrap();
/// assert_eq!((best.threads, best.blocks_per_sm), (1024, 1));
/// ```
pub const fn best_block_size_for(
    sm: &SmLimits,
    kernel: &Kernel,
    launch: &Launch,
    smem: BlockSmem,
) -> Option<BlockSize> {
    let mut search = Search::new(sm, kernel);
    while let Some(threads) = search.next() {
        search.offer(sm, kernel, launch, threads, smem.of(threads));
    }
    search.best
}

/// Returns the same as [`best_block_size`] for dynamic shared memory, in bytes, that is any function of the threads per
/// block.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, best_block_size_with};
///
/// let sm = Arch::SM_80.limits();
/// let best = best_block_size_with(sm, &Kernel::new(), &Launch::new(1), |threads| threads.next_power_of_two() * 80);
/// assert_eq!(best.unwrap().threads, 1024);
/// ```
pub fn best_block_size_with(
    sm: &SmLimits,
    kernel: &Kernel,
    launch: &Launch,
    mut dynamic_smem: impl FnMut(u32) -> u32,
) -> Option<BlockSize> {
    let mut search = Search::new(sm, kernel);
    while let Some(threads) = search.next() {
        search.offer(sm, kernel, launch, threads, dynamic_smem(threads));
    }
    search.best
}

/// A search over block sizes from the largest down. All but the first are whole warps.
struct Search {
    /// Maximum threads per block.
    max_threads: u32,
    warp_size: u32,
    /// Threads of a full SM, with which the search can end.
    full: u32,
    /// Threads of the next block to try, in whole warps.
    next: u64,
    best: Option<BlockSize>,
}

impl Search {
    /// Returns a search over every block size that the kernel and the SM allow.
    const fn new(sm: &SmLimits, kernel: &Kernel) -> Self {
        let max_threads = match kernel.max_threads {
            Some(bound) => min(bound, sm.max_threads_per_block),
            None => sm.max_threads_per_block,
        };
        Search {
            max_threads,
            warp_size: sm.warp_size.get(),
            full: sm.max_threads_per_sm(),
            next: round_up(max_threads as u64, sm.warp_size),
            best: None,
        }
    }

    /// Returns the next size to try, or `None` if no other can be better.
    const fn next(&mut self) -> Option<u32> {
        if self.next == 0 || self.resident_threads() == self.full {
            return None;
        }
        let threads = if self.next < self.max_threads as u64 { self.next as u32 } else { self.max_threads };
        self.next -= self.warp_size as u64;
        Some(threads)
    }

    /// Returns the resident threads per SM with the best size so far.
    const fn resident_threads(&self) -> u32 {
        match self.best {
            Some(best) => best.threads.saturating_mul(best.blocks_per_sm),
            None => 0,
        }
    }

    /// Keeps a size if an SM holds more threads with it.
    const fn offer(&mut self, sm: &SmLimits, kernel: &Kernel, launch: &Launch, threads: u32, dynamic_smem: u32) {
        let launch = Launch { block: [threads, 1, 1], dynamic_smem, cluster: None, grid: None, ..*launch };
        if let Ok(answer) = occupancy(sm, kernel, &launch)
            && threads.saturating_mul(answer.blocks_per_sm) > self.resident_threads()
        {
            self.best = Some(BlockSize { threads, blocks_per_sm: answer.blocks_per_sm });
        }
    }
}

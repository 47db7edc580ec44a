//! Questions asked backwards: which block size, how much shared memory, how many registers.

use crate::launch::Carveout;
use crate::launch::{Kernel, Launch};
use crate::limits::SmLimits;
use crate::limits::SmemSplit;
use crate::occupancy::{allocation, min, next_carveout, occupancy, round_up};

/// A block size, and how many blocks of it an SM holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BlockSize {
    /// Threads of the block.
    pub threads: u32,
    /// Blocks an SM holds at once.
    pub blocks_per_sm: u32,
}

impl BlockSize {
    /// Blocks that fill a GPU of `sm_count` SMs once, saturating.
    pub const fn full_grid(&self, sm_count: u32) -> u32 {
        self.blocks_per_sm.saturating_mul(sm_count)
    }
}

/// Dynamic shared memory that grows with the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSmem {
    /// Bytes every block needs.
    pub per_block: u32,
    /// Bytes every thread adds.
    pub per_thread: u32,
}

impl BlockSmem {
    /// Dynamic shared memory of a block of `threads` threads in bytes, saturating.
    pub const fn of(self, threads: u32) -> u32 {
        self.per_thread.saturating_mul(threads).saturating_add(self.per_block)
    }
}

/// The one-dimensional block size with which an SM holds the most threads, with the dynamic shared memory of `launch`.
///
/// The block, cluster and grid of `launch` are not looked at. Of several that are equally good the largest wins, as in `cudaOccMaxPotentialOccupancyBlockSize`. `None` if the
/// kernel cannot run with any. Higher occupancy is not always faster: this is where to start measuring.
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

/// Like [`best_block_size`], with dynamic shared memory that grows with the block.
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

/// Like [`best_block_size`], with dynamic shared memory (in bytes) as any function of the threads of a block.
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

/// Tries block sizes from the largest down, in whole warps but for the first.
struct Search {
    most: u32,
    warp_size: u32,
    full: u32,
    aligned: u32,
    best: Option<BlockSize>,
}

impl Search {
    const fn new(sm: &SmLimits, kernel: &Kernel) -> Self {
        let most = match kernel.max_threads {
            Some(bound) => min(bound, sm.max_threads_per_block),
            None => sm.max_threads_per_block,
        };
        Search {
            most,
            warp_size: sm.warp_size.get(),
            full: sm.max_threads_per_sm(),
            aligned: round_up(most, sm.warp_size),
            best: None,
        }
    }

    const fn next(&mut self) -> Option<u32> {
        if self.aligned == 0 || self.most_threads() == self.full {
            return None;
        }
        let threads = min(self.most, self.aligned);
        self.aligned -= self.warp_size;
        Some(threads)
    }

    const fn most_threads(&self) -> u32 {
        match self.best {
            Some(best) => best.threads.saturating_mul(best.blocks_per_sm),
            None => 0,
        }
    }

    const fn offer(&mut self, sm: &SmLimits, kernel: &Kernel, launch: &Launch, threads: u32, dynamic_smem: u32) {
        let launch = Launch { block: [threads, 1, 1], dynamic_smem, cluster: None, grid: None, ..*launch };
        if let Ok(answer) = occupancy(sm, kernel, &launch)
            && threads.saturating_mul(answer.blocks_per_sm) > self.most_threads()
        {
            self.best = Some(BlockSize { threads, blocks_per_sm: answer.blocks_per_sm });
        }
    }
}

/// Most dynamic shared memory in bytes a block may use so that an SM still holds `blocks` blocks of the launch.
///
/// Several blocks share what the preferred carve-out chose, one may raise it: as in NVIDIA's function, a preference that
/// the hardware would raise for a larger block is not counted on (3.x with a preference for L1 can hold more). The
/// launch's own dynamic shared memory is not looked at. `None` if the SM does not hold `blocks` blocks even
/// without any, or if `blocks` is 0. As in `cudaOccAvailableDynamicSMemPerBlock` of CUDA 13.1 and later; earlier
/// ones forget what the driver reserves, and answer 1,024 bytes a block more from 8.0 on.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, available_dynamic_smem};
///
/// let sm = Arch::SM_80.limits();
/// assert_eq!(available_dynamic_smem(sm, &Kernel::new(), &Launch::new(256), 2), Some((82 << 10) - 1024));
/// assert_eq!(available_dynamic_smem(sm, &Kernel::new(), &Launch::new(256), 9), None);
/// ```
pub const fn available_dynamic_smem(sm: &SmLimits, kernel: &Kernel, launch: &Launch, blocks: u32) -> Option<u32> {
    let launch = Launch { dynamic_smem: 0, cluster: None, grid: None, ..*launch };
    match occupancy(sm, kernel, &launch) {
        Ok(answer) if blocks > 0 && answer.blocks_per_sm >= blocks => {}
        _ => return None,
    }
    let reserved = sm.smem_reserved_per_block;
    let most = sm.smem_limit(launch.smem_optin).saturating_add(reserved);
    // One block gets what it asks for; several share what the preference chose.
    let shared = if blocks == 1 { sm.smem_per_sm } else { smem_shared(sm, launch.carveout) / blocks };
    let unit = sm.smem_allocation_unit.get();
    let per_block = min(shared, most) / unit * unit;
    Some(per_block.saturating_sub(kernel.static_smem).saturating_sub(reserved))
}

/// The shared memory of the SM that several blocks share: a preference for none is raised to the smallest there is.
const fn smem_shared(sm: &SmLimits, carveout: Carveout) -> u32 {
    match (sm.smem_for(carveout), sm.smem_split) {
        (0, SmemSplit::Carveouts(sizes)) => next_carveout(sm, sizes, 1),
        (bytes, _) => bytes,
    }
}

/// The register budget: most registers per thread with which registers still admit `blocks` blocks on the SM.
///
/// `None` if no number of registers does (`blocks` is 0, or not even one register per thread would fit). Other
/// resources are not looked at.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, register_budget};
///
/// let sm = Arch::SM_80.limits();
/// assert_eq!(register_budget(sm, &Kernel::new(), &Launch::new(256), 4), Some(64));
/// // 13 warps are spread over 4 sub-partitions as if they were 16.
/// assert_eq!(register_budget(sm, &Kernel::new(), &Launch::new(416), 1), Some(128));
/// ```
pub const fn register_budget(sm: &SmLimits, kernel: &Kernel, launch: &Launch, blocks: u32) -> Option<u32> {
    let warps = launch.threads().div_ceil(sm.warp_size.get());
    if blocks == 0 || warps == 0 {
        return None;
    }
    if kernel.l1_caching && sm.partitioned_l1 {
        return register_budget_by_search(sm, kernel, launch, blocks);
    }
    let for_blocks = per_warp_budget(sm, warps.saturating_mul(blocks), sm.sub_partitions.get());
    // A capability with finer sub-partitions in the family must hold one block too.
    let for_launch = per_warp_budget(sm, warps, sm.launch_sub_partitions.get());
    let for_block = min(
        sm.registers_per_block / round_up(warps, sm.sub_partitions),
        sm.registers_per_block / round_up(warps, sm.launch_sub_partitions),
    );
    let unit = sm.register_allocation_unit.get();
    let per_warp = min(min(for_blocks, for_launch), for_block) / unit * unit;
    match min(per_warp / sm.warp_size.get(), sm.max_registers_per_thread) {
        0 => None,
        budget => Some(budget),
    }
}

/// Most registers of a warp with which `parts` sub-partitions hold `warps` warps together.
const fn per_warp_budget(sm: &SmLimits, warps: u32, parts: u32) -> u32 {
    sm.registers_per_sm / parts / warps.div_ceil(parts)
}

/// The budget where a block may be confined to half of the SM, and is released where it does not fit.
const fn register_budget_by_search(sm: &SmLimits, kernel: &Kernel, launch: &Launch, blocks: u32) -> Option<u32> {
    let mut registers = sm.max_registers_per_thread;
    while registers > 0 {
        let limits = allocation(sm, &Kernel { registers: Some(registers), ..*kernel }, launch).limits;
        match limits.registers {
            Some(limit) if limit < blocks => registers -= 1,
            _ => return Some(registers),
        }
    }
    None
}

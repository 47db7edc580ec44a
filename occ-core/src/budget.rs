//! Budgets: the registers and the shared memory a block may use while an SM still holds a number of blocks.

use crate::allocation::allocation;
use crate::arithmetic::{min, round_up};
use crate::carveout::{Carveout, SmemSplit};
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::occupancy::occupancy;
use core::num::NonZeroU32;

/// Returns the maximum dynamic shared memory per block, in bytes, with which an SM still holds `blocks` blocks of the
/// launch.
///
/// The launch's own dynamic shared memory does not matter. Returns `None` if `blocks` is 0, or if the SM does not hold
/// that many blocks even without dynamic shared memory.
///
/// The answer is that of `cudaOccAvailableDynamicSMemPerBlock` in CUDA 13.1 and later. Earlier versions ignore the
/// driver's reservation and answer 1,024 bytes more per block on 8.0 and later. Several blocks share what the preferred
/// carve-out chooses; only a single block may raise it. As in NVIDIA's function, several blocks do not count on a
/// preference that the hardware would raise for a larger block (3.x with a preference for L1 can hold more).
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
    let max = sm.max_smem_per_block(launch.smem_optin).saturating_add(reserved);
    // One block gets what it asks for; several share what the preference chooses.
    let shared = if blocks == 1 { sm.smem_per_sm } else { shared_by_several(sm, launch.carveout) / blocks };
    let unit = sm.smem_allocation_unit.get();
    let per_block = min(shared, max) / unit * unit;
    Some(per_block.saturating_sub(kernel.static_smem).saturating_sub(reserved))
}

/// Returns the bytes that several blocks share: a preference for none is raised to the smallest size above 0.
const fn shared_by_several(sm: &SmLimits, carveout: Carveout) -> u32 {
    match (sm.smem_for(carveout), sm.smem_split) {
        (0, SmemSplit::Carveouts(_)) => sm.smem_split.raised(sm.smem_per_sm, 1),
        (bytes, _) => bytes,
    }
}

/// Returns the register budget: the maximum registers per thread with which registers admit `blocks` blocks per SM.
///
/// Returns `None` if `blocks` is 0, or if not even one register per thread fits. Other resources do not matter.
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
    // The finer sub-partitions of the rest of the family must hold one block too.
    let for_launch = per_warp_budget(sm, warps, sm.launch_sub_partitions.get());
    let for_block = min(block_budget(sm, warps, sm.sub_partitions), block_budget(sm, warps, sm.launch_sub_partitions));
    let unit = sm.register_allocation_unit.get();
    let per_warp = min(min(for_blocks, for_launch), for_block) / unit * unit;
    match min(per_warp / sm.warp_size.get(), sm.max_registers_per_thread) {
        0 => None,
        budget => Some(budget),
    }
}

/// Returns the maximum registers per warp with which `parts` sub-partitions together hold `warps` warps.
const fn per_warp_budget(sm: &SmLimits, warps: u32, parts: u32) -> u32 {
    sm.registers_per_sm / parts / warps.div_ceil(parts)
}

/// Returns the maximum registers per warp within the limit per block, which counts warps as filling `parts` evenly.
const fn block_budget(sm: &SmLimits, warps: u32, parts: NonZeroU32) -> u32 {
    (sm.registers_per_block as u64 / round_up(warps as u64, parts)) as u32
}

/// Returns the budget on SMs where caching confines a block to half of the SM unless it does not fit there.
const fn register_budget_by_search(sm: &SmLimits, kernel: &Kernel, launch: &Launch, blocks: u32) -> Option<u32> {
    let mut registers = sm.max_registers_per_thread;
    while registers > 0 {
        let limits = allocation(sm, &kernel.registers(registers), launch).limits;
        match limits.registers {
            Some(limit) if limit < blocks => registers -= 1,
            _ => return Some(registers),
        }
    }
    None
}

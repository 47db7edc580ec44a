//! What a block may use so that an SM still holds a number of blocks.

use crate::allocation::allocation;
use crate::arithmetic::{min, round_up};
use crate::carveout::{Carveout, SmemSplit};
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::occupancy::occupancy;
use core::num::NonZeroU32;

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
        (0, SmemSplit::Carveouts(_)) => sm.smem_split.raised(sm.smem_per_sm, 1),
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
    let for_block = min(block_budget(sm, warps, sm.sub_partitions), block_budget(sm, warps, sm.launch_sub_partitions));
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

/// Most registers of a warp with which one block of `warps` warps, spread evenly over `parts`, may run.
const fn block_budget(sm: &SmLimits, warps: u32, parts: NonZeroU32) -> u32 {
    (sm.registers_per_block as u64 / round_up(warps as u64, parts)) as u32
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

//! What a block of a launch takes of an SM, and how many blocks each resource then admits.

use crate::arithmetic::{divide, round_up};
use crate::block_limits::BlockLimits;
use crate::carveout::Carveout;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;

// The compiler interprets these functions for every launch that is checked as a constant, where a call costs as much as
// a dozen operations: keep them few. At run time a call that is not inlined costs a fifth of the evaluation.

/// What an SM allocates to one block, and how many blocks each resource admits.
///
/// Launches that cannot run have an allocation too; their lowest block limit is usually 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Allocation {
    /// Warps per block.
    pub warps_per_block: u32,
    /// Registers allocated per block; 0 where the registers per thread are not known.
    pub registers_per_block: u32,
    /// Shared memory allocated per block in bytes: static, dynamic and reserved, rounded up. Saturates.
    pub smem_per_block: u32,
    /// Shared memory of the SM in bytes, with the carve-out that this launch gets.
    pub smem_per_sm: u32,
    /// Whether globals are cached in L1, which confines each block to half of the SM.
    pub l1_caching: bool,
    /// Block limit of each resource.
    pub limits: BlockLimits,
}

/// Returns what an SM allocates to a block of `launch`, whether or not the launch can run.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, allocation};
///
/// // 92 registers round up to 96. Each of the 4 sub-partitions has registers for 5 warps; a block takes 7.
/// let given = allocation(Arch::SM_80.limits(), &Kernel::new().registers(92), &Launch::new(224));
/// assert_eq!(given.limits.registers, Some(2));
/// assert_eq!(given.registers_per_block, 96 * 32 * 7);
/// assert_eq!(given.smem_per_block, 1024); // reserved by the driver from 8.0 on
/// ```
#[inline(always)]
pub const fn allocation(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Allocation {
    let threads = launch.threads();
    let warps_per_block = if threads == 0 { 1 } else { divide(threads - 1, sm.warp_size) + 1 };
    let registers = match kernel.registers {
        None | Some(0) => Registers { per_block: 0, limit: None, confined: kernel.l1_caching && sm.partitioned_l1 },
        Some(per_thread) => registers(sm, per_thread, kernel.l1_caching && sm.partitioned_l1, warps_per_block),
    };
    let smem = shared_memory(sm, kernel, launch);
    Allocation {
        warps_per_block,
        registers_per_block: registers.per_block,
        smem_per_block: smem.per_block,
        smem_per_sm: smem.per_sm,
        l1_caching: registers.confined,
        limits: BlockLimits {
            warps: if threads == 0 || threads > sm.max_threads_per_block {
                0
            } else if registers.confined {
                // A block lives in one half of the SM.
                sm.max_warps_per_sm / 2 / warps_per_block * 2
            } else {
                sm.max_warps_per_sm / warps_per_block
            },
            blocks: sm.max_blocks_per_sm,
            registers: registers.limit,
            shared_memory: smem.limit,
            barriers: match sm.barriers_per_sm {
                Some(pool) if kernel.barriers > 0 => Some(pool / kernel.barriers),
                _ => None,
            },
            virtual_resources: match sm.virtual_resources_per_sm {
                Some(pool) if kernel.virtual_resources > 0 => Some(pool / kernel.virtual_resources),
                _ => None,
            },
        },
    }
}

/// The registers part of an allocation.
struct Registers {
    /// Registers allocated per block.
    per_block: u32,
    /// Block limit; `None` where registers are not known.
    limit: Option<u32>,
    /// Whether caching confines a block to half of the SM.
    confined: bool,
}

/// Returns the registers allocated per warp: rounded up to the allocation unit. Saturates.
#[inline(always)]
pub(crate) const fn registers_per_warp(sm: &SmLimits, per_thread: u32) -> u32 {
    let asked = per_thread as u64 * sm.warp_size.get() as u64;
    let per_warp = round_up(asked, sm.register_allocation_unit);
    if per_warp > u32::MAX as u64 { u32::MAX } else { per_warp as u32 }
}

/// Returns the registers part of an allocation for a known number of registers per thread.
#[inline(always)]
const fn registers(sm: &SmLimits, per_thread: u32, confined: bool, warps_per_block: u32) -> Registers {
    let per_warp = registers_per_warp(sm, per_thread);
    let per_block = per_warp as u64 * warps_per_block as u64;
    let per_block = if per_block > u32::MAX as u64 { u32::MAX } else { per_block as u32 };
    let parts = sm.sub_partitions.get();
    // The limit per block counts warps as if they filled every sub-partition evenly.
    let counted = round_up(warps_per_block as u64, sm.sub_partitions);
    // A warp has at least one register. With more warps than registers the product is not needed, and could overflow.
    let max = sm.registers_per_block as u64;
    if per_thread > sm.max_registers_per_thread || counted > max || per_warp as u64 * counted > max {
        return Registers { per_block, limit: Some(0), confined };
    }
    // A warp's registers lie in one sub-partition; the remainder of each is unused.
    let warps_per_part = divide(sm.registers_per_sm, sm.sub_partitions) / per_warp;
    if confined {
        let in_half = warps_per_part * (parts / 2) / warps_per_block;
        if in_half > 0 {
            return Registers { per_block, limit: Some(in_half * 2), confined };
        }
        // Rather than fail the launch, the device does without caching.
    }
    let is_one_of_a_family = sm.launch_sub_partitions.get() != parts;
    let limit = if !is_one_of_a_family || runs_on_family(sm, per_warp, warps_per_block) {
        warps_per_part * parts / warps_per_block
    } else {
        0
    };
    Registers { per_block, limit: Some(limit), confined: false }
}

/// Returns whether a block also fits an SM with the sub-partitions of the rest of the family.
const fn runs_on_family(sm: &SmLimits, per_warp: u32, warps_per_block: u32) -> bool {
    let parts = sm.launch_sub_partitions.get();
    let counted = round_up(warps_per_block as u64, sm.launch_sub_partitions);
    let max = sm.registers_per_block as u64;
    counted <= max
        && per_warp as u64 * counted <= max
        && sm.registers_per_sm / parts / per_warp * parts >= warps_per_block
}

/// The shared-memory part of an allocation.
struct SharedMemory {
    /// Bytes allocated per block, saturating.
    per_block: u32,
    /// Bytes of the SM.
    per_sm: u32,
    /// Block limit; `None` for blocks without shared memory.
    limit: Option<u32>,
}

/// Returns the shared-memory part of an allocation.
#[inline(always)]
const fn shared_memory(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> SharedMemory {
    let reserved = sm.smem_reserved_per_block as u64;
    let asked = kernel.static_smem as u64 + launch.dynamic_smem as u64 + reserved;
    let per_block = round_up(asked, sm.smem_allocation_unit);
    let max = if launch.smem_optin { sm.smem_per_block_optin } else { sm.smem_per_block } as u64 + reserved;
    let preferred = match launch.carveout {
        Carveout::Default => sm.smem_per_sm,
        carveout => sm.smem_split.preferred(sm.smem_per_sm, carveout),
    };
    if per_block > max || per_block > u32::MAX as u64 {
        let per_block = if per_block > u32::MAX as u64 { u32::MAX } else { per_block as u32 };
        return SharedMemory { per_block, per_sm: preferred, limit: Some(0) };
    }
    let per_block = per_block as u32;
    let per_sm = if preferred >= per_block { preferred } else { sm.smem_split.raised(sm.smem_per_sm, per_block) };
    let limit = per_sm.checked_div(per_block);
    SharedMemory { per_block, per_sm, limit }
}

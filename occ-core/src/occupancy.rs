//! How many blocks of a launch an SM holds at once, and what limits them.

use crate::allocation::allocation;
use crate::block_limits::{BlockLimits, Limiters};
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::refusal::{Refusal, refusal};

/// How many blocks of a launch an SM holds, and what limits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Occupancy {
    /// Resident blocks per SM, at least 1.
    pub blocks_per_sm: u32,
    /// Warps per block.
    pub warps_per_block: u32,
    /// Warps an SM can hold at most.
    pub max_warps_per_sm: u32,
    /// Block limit of each resource.
    pub limits: BlockLimits,
    /// Registers allocated per block; 0 where the registers per thread are not known.
    pub registers_per_block: u32,
    /// Shared memory allocated per block in bytes: static, dynamic and reserved, rounded up.
    pub smem_per_block: u32,
    /// Shared memory of the SM in bytes, with the carve-out that this launch gets.
    pub smem_per_sm: u32,
    /// Whether globals are cached in L1, which confines each block to half of the SM.
    pub l1_caching: bool,
}

impl Occupancy {
    /// Returns the resident warps per SM.
    pub const fn warps_per_sm(&self) -> u32 {
        self.blocks_per_sm * self.warps_per_block
    }

    /// Returns the theoretical occupancy: resident warps ÷ warps an SM can hold, above 0.0 and at most 1.0.
    pub const fn fraction(&self) -> f64 {
        self.warps_per_sm() as f64 / self.max_warps_per_sm as f64
    }

    /// Returns the resources with the lowest block limit. Several can tie.
    pub const fn limiters(&self) -> Limiters {
        self.limits.limiters()
    }
}

/// Returns how many blocks of `launch` one SM holds at once, and what limits them.
///
/// The arithmetic is that of NVIDIA's `cuda_occupancy.h` 13.5.37. It departs from the header where that contradicts the
/// CUDA Programming Guide or its own documentation:
///
/// - 256 registers per thread are refused on 7.0 and later as well (the header accepts them; the guide says 255);
/// - more threads than the kernel's own bound, or more than 16 barriers, are refused (the header does not check);
/// - a resource is a limiter only if its block limit is the lowest (the header decides before it considers barriers);
/// - sizes do not wrap at 2³¹ bytes.
///
/// # Errors
///
/// Returns a [`Refusal`] if the launch cannot run at all.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, Resource, occupancy};
///
/// let kernel = Kernel::new().registers(168);
/// let answer = occupancy(Arch::SM_80.limits(), &kernel, &Launch::new(256)).unwrap();
/// assert_eq!(answer.blocks_per_sm, 1);
/// assert_eq!(answer.fraction(), 0.125);
/// assert!(answer.limiters().eq([Resource::Registers]));
///
/// // 162 registers × 512 threads: error 701 on every card.
/// let kernel = Kernel::new().registers(162);
/// assert!(occupancy(Arch::SM_89.limits(), &kernel, &Launch::new(512)).is_err());
/// ```
#[inline(always)]
pub const fn occupancy(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Result<Occupancy, Refusal> {
    let allocation = allocation(sm, kernel, launch);
    let blocks_per_sm = allocation.limits.lowest();
    if let Some(refusal) = refusal(sm, kernel, launch, &allocation, blocks_per_sm) {
        return Err(refusal);
    }
    Ok(Occupancy {
        blocks_per_sm,
        warps_per_block: allocation.warps_per_block,
        max_warps_per_sm: sm.max_warps_per_sm,
        limits: allocation.limits,
        registers_per_block: allocation.registers_per_block,
        smem_per_block: allocation.smem_per_block,
        smem_per_sm: allocation.smem_per_sm,
        l1_caching: allocation.l1_caching,
    })
}

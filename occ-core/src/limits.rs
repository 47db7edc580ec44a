//! [`SmLimits`]: what one streaming multiprocessor (SM) can hold, and the table of every compute capability.

use crate::carveout::{Carveout, SmemSplit};
use core::num::NonZeroU32;

/// The limits of one SM.
///
/// [`Arch::limits`](crate::Arch::limits) returns those of a compute capability. Every field can be changed, so an SM
/// can also be built by hand: from [`SmLimits::TEXTBOOK`] for exercises, or from what a driver reports.
///
/// Sources: NVIDIA's CUDA Programming Guide (appendix on compute capabilities) and the behaviour of
/// `cuda_occupancy.h` 13.5.37; threads and blocks per SM agree with `ptxas` 12.9.86 and 13.5.37.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, SmLimits, occupancy};
///
/// // An SM as in a textbook, with 96 KiB of shared memory and no allocation granularity.
/// let mut sm = SmLimits::TEXTBOOK;
/// sm.smem_per_sm = 96 << 10;
/// let launch = Launch::new(256).dynamic_smem(48 << 10);
/// let answer = occupancy(&sm, &Kernel::new().registers(2), &launch).unwrap();
/// assert_eq!(answer.blocks_per_sm, 2);
///
/// assert_eq!(Arch::SM_86.limits().max_warps_per_sm, 48);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SmLimits {
    /// Threads per warp.
    pub warp_size: NonZeroU32,
    /// Maximum threads per block.
    pub max_threads_per_block: u32,
    /// Maximum threads per block along x, y and z.
    pub max_block_axes: [u32; 3],
    /// Maximum blocks of a grid along x, y and z.
    pub max_grid_axes: [u32; 3],
    /// Maximum resident warps per SM.
    pub max_warps_per_sm: u32,
    /// Maximum resident blocks per SM.
    pub max_blocks_per_sm: u32,
    /// 32-bit registers per SM.
    pub registers_per_sm: u32,
    /// Maximum registers per block.
    pub registers_per_block: u32,
    /// Maximum registers per thread.
    pub max_registers_per_thread: u32,
    /// Registers in which a warp's allocation is rounded up.
    pub register_allocation_unit: NonZeroU32,
    /// Sub-partitions of an SM: a warp's registers lie in one of them.
    pub sub_partitions: NonZeroU32,
    /// Sub-partitions that a block must also fit to be accepted at all.
    ///
    /// Differs from `sub_partitions` on 6.0 only, which refuses a launch that the rest of its family cannot run.
    pub launch_sub_partitions: NonZeroU32,
    /// Shared memory per SM, in bytes.
    pub smem_per_sm: u32,
    /// Maximum shared memory per block without the opt-in, in bytes.
    pub smem_per_block: u32,
    /// Maximum shared memory per block with the opt-in, in bytes.
    pub smem_per_block_optin: u32,
    /// Shared memory that the driver reserves in every block, in bytes.
    pub smem_reserved_per_block: u32,
    /// Bytes in which a block's shared memory is rounded up.
    pub smem_allocation_unit: NonZeroU32,
    /// Division of on-chip memory between shared memory and L1 cache.
    pub smem_split: SmemSplit,
    /// Maximum named barriers per block.
    pub barriers_per_block: u32,
    /// Named barriers per SM, where they limit the resident blocks (9.0 and later).
    pub barriers_per_sm: Option<u32>,
    /// Virtual resources (tensor-memory permits) per SM, if any (10.x to 12.x).
    pub virtual_resources_per_sm: Option<u32>,
    /// Whether caching globals in L1 confines a block to half of the SM (5.2, 5.3, 6.1, 6.2).
    pub partitioned_l1: bool,
    /// Maximum blocks per cluster on every GPU of this capability; `None` before 9.0.
    pub max_cluster_portable: Option<u32>,
    /// Maximum blocks per cluster with the non-portable opt-in, if known.
    pub max_cluster: Option<u32>,
}

/// What most capabilities since Kepler share.
const COMMON: SmLimits = SmLimits {
    warp_size: nonzero(32),
    max_threads_per_block: 1024,
    max_block_axes: [1024, 1024, 64],
    max_grid_axes: [0x7fff_ffff, 65_535, 65_535],
    max_warps_per_sm: 64,
    max_blocks_per_sm: 32,
    registers_per_sm: 65_536,
    registers_per_block: 65_536,
    max_registers_per_thread: 255,
    register_allocation_unit: nonzero(256),
    sub_partitions: nonzero(4),
    launch_sub_partitions: nonzero(4),
    smem_per_sm: 64 << 10,
    smem_per_block: 48 << 10,
    smem_per_block_optin: 48 << 10,
    smem_reserved_per_block: 0,
    smem_allocation_unit: nonzero(256),
    smem_split: SmemSplit::Fixed,
    barriers_per_block: 16,
    barriers_per_sm: None,
    virtual_resources_per_sm: None,
    partitioned_l1: false,
    max_cluster_portable: None,
    max_cluster: None,
};

/// Returns a divisor of the table.
const fn nonzero(value: u32) -> NonZeroU32 {
    NonZeroU32::new(value).expect("a divisor of the table is not 0")
}

const VOLTA_CARVEOUTS: &[u32] = &[0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 96 << 10];
const TURING_CARVEOUTS: &[u32] = &[32 << 10, 64 << 10];
const CARVEOUTS_TO_100: &[u32] = &[0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10];
const CARVEOUTS_TO_164: &[u32] = &[0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10];
const CARVEOUTS_TO_228: &[u32] =
    &[0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10, 196 << 10, 228 << 10];
const CARVEOUTS_TO_328: &[u32] =
    &[0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 100 << 10, 132 << 10, 164 << 10, 196 << 10, 228 << 10, 328 << 10];

impl SmLimits {
    /// The SM of a textbook: 65,536 registers, 64 warps, 32 blocks, 96 KiB of shared memory, no allocation granularity.
    pub const TEXTBOOK: SmLimits = SmLimits {
        max_registers_per_thread: 256,
        register_allocation_unit: nonzero(1),
        sub_partitions: nonzero(1),
        launch_sub_partitions: nonzero(1),
        smem_per_sm: 96 << 10,
        smem_per_block: 96 << 10,
        smem_per_block_optin: 96 << 10,
        smem_allocation_unit: nonzero(1),
        ..COMMON
    };

    pub(crate) const SM_35: SmLimits = SmLimits {
        max_blocks_per_sm: 16,
        smem_per_sm: 48 << 10,
        smem_split: SmemSplit::CacheConfig([16 << 10, 32 << 10, 48 << 10]),
        ..COMMON
    };
    pub(crate) const SM_37: SmLimits = SmLimits {
        registers_per_sm: 131_072,
        smem_per_sm: 112 << 10,
        smem_split: SmemSplit::CacheConfig([80 << 10, 96 << 10, 112 << 10]),
        ..Self::SM_35
    };
    pub(crate) const SM_50: SmLimits = COMMON;
    pub(crate) const SM_52: SmLimits = SmLimits { smem_per_sm: 96 << 10, partitioned_l1: true, ..COMMON };
    pub(crate) const SM_53: SmLimits = SmLimits { registers_per_block: 32_768, partitioned_l1: true, ..COMMON };
    pub(crate) const SM_60: SmLimits = SmLimits { sub_partitions: nonzero(2), ..COMMON };
    pub(crate) const SM_61: SmLimits = Self::SM_52;
    pub(crate) const SM_62: SmLimits = Self::SM_53;
    pub(crate) const SM_70: SmLimits = SmLimits {
        smem_per_sm: 96 << 10,
        smem_per_block_optin: 96 << 10,
        smem_split: SmemSplit::Carveouts(VOLTA_CARVEOUTS),
        ..COMMON
    };
    pub(crate) const SM_72: SmLimits = Self::SM_70;
    pub(crate) const SM_75: SmLimits = SmLimits {
        max_warps_per_sm: 32,
        max_blocks_per_sm: 16,
        smem_per_block_optin: 64 << 10,
        smem_split: SmemSplit::Carveouts(TURING_CARVEOUTS),
        ..COMMON
    };
    pub(crate) const SM_80: SmLimits = SmLimits {
        smem_per_sm: 164 << 10,
        smem_per_block_optin: 163 << 10,
        smem_reserved_per_block: 1 << 10,
        smem_allocation_unit: nonzero(128),
        smem_split: SmemSplit::Carveouts(CARVEOUTS_TO_164),
        ..COMMON
    };
    pub(crate) const SM_86: SmLimits = SmLimits {
        max_warps_per_sm: 48,
        max_blocks_per_sm: 16,
        smem_per_sm: 100 << 10,
        smem_per_block_optin: 99 << 10,
        smem_split: SmemSplit::Carveouts(CARVEOUTS_TO_100),
        ..Self::SM_80
    };
    pub(crate) const SM_87: SmLimits = SmLimits { max_warps_per_sm: 48, max_blocks_per_sm: 16, ..Self::SM_80 };
    /// Shared memory of 8.8 is unconfirmed: no published table has a row for it.
    pub(crate) const SM_88: SmLimits = Self::SM_86;
    pub(crate) const SM_89: SmLimits = SmLimits { max_blocks_per_sm: 24, ..Self::SM_86 };
    pub(crate) const SM_90: SmLimits = SmLimits {
        smem_per_sm: 228 << 10,
        smem_per_block_optin: 227 << 10,
        smem_split: SmemSplit::Carveouts(CARVEOUTS_TO_228),
        barriers_per_sm: Some(64),
        max_cluster_portable: Some(8),
        max_cluster: Some(16),
        ..Self::SM_80
    };
    pub(crate) const SM_100: SmLimits = SmLimits { virtual_resources_per_sm: Some(128), ..Self::SM_90 };
    /// 32 barriers: headers before 13.3 said 64; the smaller pool is the safe one.
    pub(crate) const SM_103: SmLimits = SmLimits { barriers_per_sm: Some(32), max_cluster: None, ..Self::SM_100 };
    /// 228 KiB of shared memory: 328 KiB need the oversized mode, see [`SmLimits::oversized_smem`].
    pub(crate) const SM_107: SmLimits = SmLimits {
        max_warps_per_sm: 32,
        max_blocks_per_sm: 16,
        barriers_per_sm: Some(16),
        smem_split: SmemSplit::Carveouts(CARVEOUTS_TO_328),
        ..Self::SM_103
    };
    pub(crate) const SM_110: SmLimits =
        SmLimits { max_warps_per_sm: 48, max_blocks_per_sm: 24, barriers_per_sm: Some(24), ..Self::SM_103 };
    pub(crate) const SM_120: SmLimits = SmLimits {
        smem_per_sm: 100 << 10,
        smem_per_block_optin: 99 << 10,
        smem_split: SmemSplit::Carveouts(CARVEOUTS_TO_100),
        max_cluster: Some(8),
        ..Self::SM_110
    };

    pub(crate) const SM_121: SmLimits = Self::SM_120;

    /// Returns these limits in the oversized shared-memory mode of 10.7: 328 KiB per SM, 327 KiB per block.
    ///
    /// Returns `None` where the mode does not exist. `cuda.h` 13.5 announces it; no device that reports it has been
    /// seen.
    ///
    /// ```
    /// use occ_core::Arch;
    ///
    /// assert_eq!(Arch::SM_107.limits().smem_per_sm, 228 << 10);
    /// assert_eq!(Arch::SM_107.limits().oversized_smem().unwrap().smem_per_sm, 328 << 10);
    /// assert!(Arch::SM_100.limits().oversized_smem().is_none());
    /// ```
    pub const fn oversized_smem(&self) -> Option<SmLimits> {
        let SmemSplit::Carveouts(sizes) = self.smem_split else {
            return None;
        };
        let Some(&largest) = sizes.last() else {
            return None;
        };
        if largest <= self.smem_per_sm {
            return None;
        }
        Some(SmLimits {
            smem_per_sm: largest,
            smem_per_block_optin: largest.saturating_sub(self.smem_reserved_per_block),
            ..*self
        })
    }

    /// Returns the maximum resident threads per SM, saturating.
    pub const fn max_threads_per_sm(&self) -> u32 {
        self.max_warps_per_sm.saturating_mul(self.warp_size.get())
    }

    /// Returns the maximum static and dynamic shared memory per block in bytes, with or without the opt-in.
    pub const fn max_smem_per_block(&self, optin: bool) -> u32 {
        if optin { self.smem_per_block_optin } else { self.smem_per_block }
    }

    /// Returns the shared memory in bytes that `carveout` chooses on this SM.
    ///
    /// A launch with a block that needs more raises it.
    ///
    /// ```
    /// use occ_core::{Arch, Carveout};
    ///
    /// // Half of 164 KiB is 82 KiB; the next size the hardware has is 100 KiB.
    /// assert_eq!(Arch::SM_80.limits().smem_for(Carveout::Percent(50)), 100 << 10);
    /// ```
    pub const fn smem_for(&self, carveout: Carveout) -> u32 {
        self.smem_split.preferred(self.smem_per_sm, carveout)
    }
}

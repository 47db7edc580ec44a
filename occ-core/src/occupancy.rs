//! How many blocks of a launch an SM holds at once, and what limits them.

use crate::launch::{Carveout, Kernel, Launch};
use crate::limits::{SmLimits, SmemSplit};
use crate::refusal::{Refusal, refusal};
use core::fmt;
use core::num::NonZeroU32;

// The functions below run in the compiler for every launch that is checked as a constant, where each call costs as
// much as a dozen operations: they are written out rather than composed of smaller ones. At run time a call that is
// not inlined costs a fifth of the evaluation.

/// Threads of a block, the largest `u32` where they do not fit one.
macro_rules! threads {
    ($launch:expr) => {{
        let [x, y, z] = $launch.block;
        let plane = x as u64 * y as u64;
        let threads = if plane > u32::MAX as u64 { u32::MAX as u64 } else { plane } * z as u64;
        if threads > u32::MAX as u64 { u32::MAX } else { threads as u32 }
    }};
}
pub(crate) use threads;

/// `value` rounded up to a multiple of `unit`, quickly for the powers of two of every real SM.
macro_rules! round_up {
    ($value:expr, $unit:expr) => {{
        let (value, low) = ($value, $unit - 1);
        if $unit & low == 0 { (value + low) & !low } else { (value + low) / $unit * $unit }
    }};
}

/// `value` ÷ `by`, quickly for the powers of two of every real SM.
macro_rules! divided {
    ($value:expr, $by:expr) => {{
        let (value, by): (u32, u32) = ($value, $by);
        if by.is_power_of_two() { value >> by.trailing_zeros() } else { value / by }
    }};
}

/// Something of which an SM has only so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Resource {
    /// Places for warps.
    Warps,
    /// Places for blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Named barriers (9.0 and later).
    Barriers,
    /// Virtual resources, that is tensor-memory permits (10.x to 12.x).
    VirtualResources,
}

impl Resource {
    /// Every resource, in the order they are reported.
    pub const ALL: [Resource; 6] = [
        Resource::Registers,
        Resource::SharedMemory,
        Resource::Barriers,
        Resource::VirtualResources,
        Resource::Warps,
        Resource::Blocks,
    ];

    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Warps => "warps",
            Resource::Blocks => "blocks",
            Resource::Registers => "registers",
            Resource::SharedMemory => "shared memory",
            Resource::Barriers => "barriers",
            Resource::VirtualResources => "virtual resources",
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many blocks each resource would admit on one SM. `None`: the launch uses nothing of it, or it does not limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BlockLimits {
    /// By places for warps.
    pub warps: u32,
    /// By places for blocks.
    pub blocks: u32,
    /// By registers.
    pub registers: Option<u32>,
    /// By shared memory.
    pub shared_memory: Option<u32>,
    /// By named barriers.
    pub barriers: Option<u32>,
    /// By virtual resources.
    pub virtual_resources: Option<u32>,
}

impl BlockLimits {
    /// The limit of one resource.
    pub const fn of(&self, resource: Resource) -> Option<u32> {
        match resource {
            Resource::Warps => Some(self.warps),
            Resource::Blocks => Some(self.blocks),
            Resource::Registers => self.registers,
            Resource::SharedMemory => self.shared_memory,
            Resource::Barriers => self.barriers,
            Resource::VirtualResources => self.virtual_resources,
        }
    }

    /// The lowest of them: blocks per SM.
    #[inline(always)]
    pub const fn lowest(&self) -> u32 {
        let mut lowest = if self.warps < self.blocks { self.warps } else { self.blocks };
        if let Some(limit) = self.registers
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.shared_memory
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.barriers
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.virtual_resources
            && limit < lowest
        {
            lowest = limit;
        }
        lowest
    }

    /// The resources whose limit is the lowest. Several can tie.
    pub const fn limiters(&self) -> Limiters {
        Limiters { limits: *self, lowest: self.lowest(), at: 0 }
    }

    /// Whether `resource` is one of those with the lowest limit.
    pub const fn is_limiter(&self, resource: Resource) -> bool {
        match self.of(resource) {
            Some(limit) => limit == self.lowest(),
            None => false,
        }
    }
}

/// The resources that limit a launch, see [`BlockLimits::limiters`].
#[derive(Clone, Debug)]
pub struct Limiters {
    limits: BlockLimits,
    lowest: u32,
    at: usize,
}

impl Iterator for Limiters {
    type Item = Resource;

    fn next(&mut self) -> Option<Resource> {
        while let Some(&resource) = Resource::ALL.get(self.at) {
            self.at += 1;
            if self.limits.of(resource) == Some(self.lowest) {
                return Some(resource);
            }
        }
        None
    }
}

/// What an SM does with a launch: how many blocks it holds, and why not more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Occupancy {
    /// Blocks an SM holds at once, at least 1.
    pub blocks_per_sm: u32,
    /// Warps of one block.
    pub warps_per_block: u32,
    /// Warps an SM can hold of any launch.
    pub max_warps_per_sm: u32,
    /// How many blocks each resource would admit.
    pub limits: BlockLimits,
    /// Registers one block is given; 0 where its registers are not known.
    pub registers_per_block: u32,
    /// Shared memory one block is given in bytes: static, dynamic and reserved, rounded up.
    pub smem_per_block: u32,
    /// Shared memory of the SM in bytes, after the carve-out was chosen.
    pub smem_per_sm: u32,
    /// Whether globals are cached in L1 although that confines each block to half of the SM.
    pub l1_caching: bool,
}

impl Occupancy {
    /// Warps an SM holds of this launch.
    pub const fn warps_per_sm(&self) -> u32 {
        self.blocks_per_sm * self.warps_per_block
    }

    /// Theoretical occupancy, above 0.0 and at most 1.0: warps an SM holds of this launch ÷ warps it could hold.
    pub const fn fraction(&self) -> f64 {
        self.warps_per_sm() as f64 / self.max_warps_per_sm as f64
    }

    /// The resources with the lowest block limit.
    pub const fn limiters(&self) -> Limiters {
        self.limits.limiters()
    }
}

/// How many blocks of `launch` one SM holds at once.
///
/// The arithmetic is that of NVIDIA's `cuda_occupancy.h` 13.5.37. It departs from it where the header contradicts
/// the CUDA Programming Guide or what it says of itself:
///
/// - 256 registers per thread are refused from 7.0 on too (the header accepts them there; the guide says 255);
/// - more threads than the kernel's own bound, or more than 16 barriers, are refused (the header does not look);
/// - a resource is a limiter only if its block limit is the lowest (the header decides before it looks at barriers);
/// - sizes do not wrap at 2³¹ bytes.
///
/// # Errors
///
/// A [`Refusal`] when the launch cannot run at all.
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

/// What a block is given on an SM, and how many blocks each resource admits, for launches that run and for those that
/// do not (whose lowest limit is usually 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Allocation {
    /// Warps of one block.
    pub warps_per_block: u32,
    /// Registers one block is given; 0 where its registers are not known.
    pub registers_per_block: u32,
    /// Shared memory one block is given in bytes, saturating.
    pub smem_per_block: u32,
    /// Shared memory of the SM in bytes, after the carve-out was chosen.
    pub smem_per_sm: u32,
    /// Whether globals are cached in L1 although that confines each block to half of the SM.
    pub l1_caching: bool,
    /// How many blocks each resource admits.
    pub limits: BlockLimits,
}

/// What a block of `launch` is given, without judging whether the launch can run.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, allocation};
///
/// // 92 registers round up to 96, and 7 warps are spread over 4 sub-partitions of 5 places each.
/// let given = allocation(Arch::SM_80.limits(), &Kernel::new().registers(92), &Launch::new(224));
/// assert_eq!(given.limits.registers, Some(2));
/// assert_eq!(given.registers_per_block, 96 * 32 * 7);
/// assert_eq!(given.smem_per_block, 1024); // reserved by the driver from 8.0 on
/// ```
#[inline(always)]
pub const fn allocation(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Allocation {
    let threads = threads!(launch);
    let warps_per_block = if threads == 0 { 1 } else { divided!(threads - 1, sm.warp_size.get()) + 1 };
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

struct Registers {
    per_block: u32,
    limit: Option<u32>,
    /// Whether caching confines a block to half of the SM.
    confined: bool,
}

/// Registers of one warp of a kernel: rounded up to the allocation unit. At most 2³² − 1, saturating.
#[inline(always)]
pub(crate) const fn registers_per_warp(sm: &SmLimits, per_thread: u32) -> u32 {
    let asked = per_thread as u64 * sm.warp_size.get() as u64;
    let unit = sm.register_allocation_unit.get() as u64;
    let per_warp = round_up!(asked, unit);
    if per_warp > u32::MAX as u64 { u32::MAX } else { per_warp as u32 }
}

#[inline(always)]
const fn registers(sm: &SmLimits, per_thread: u32, confined: bool, warps_per_block: u32) -> Registers {
    let per_warp = registers_per_warp(sm, per_thread);
    let per_block = per_warp as u64 * warps_per_block as u64;
    let per_block = if per_block > u32::MAX as u64 { u32::MAX } else { per_block as u32 };
    let parts = sm.sub_partitions.get();
    let launch_parts = sm.launch_sub_partitions.get();
    // One block is checked as if its warps were spread evenly over the sub-partitions.
    let counted = round_up!(warps_per_block as u64, parts as u64);
    // A warp has at least one register: with more warps than registers the product is not needed, and could overflow.
    let most = sm.registers_per_block as u64;
    if per_thread > sm.max_registers_per_thread || counted > most || per_warp as u64 * counted > most {
        return Registers { per_block, limit: Some(0), confined };
    }
    // A warp's registers lie in one sub-partition; what is left over in each is lost.
    let warps_per_part = divided!(sm.registers_per_sm, parts) / per_warp;
    if confined {
        let in_half = warps_per_part * (parts / 2) / warps_per_block;
        if in_half > 0 {
            return Registers { per_block, limit: Some(in_half * 2), confined };
        }
        // The device gives up caching before it gives up the launch.
    }
    let limit = if launch_parts == parts || runs_with(sm, per_warp, warps_per_block, launch_parts) {
        warps_per_part * parts / warps_per_block
    } else {
        0
    };
    Registers { per_block, limit: Some(limit), confined: false }
}

/// Whether one block also fits an SM of `parts` sub-partitions: another of the same family.
const fn runs_with(sm: &SmLimits, per_warp: u32, warps_per_block: u32, parts: u32) -> bool {
    let counted = warps_per_block.div_ceil(parts) as u64 * parts as u64;
    let most = sm.registers_per_block as u64;
    counted <= most
        && per_warp as u64 * counted <= most
        && sm.registers_per_sm / parts / per_warp * parts >= warps_per_block
}

struct SharedMemory {
    per_block: u32,
    per_sm: u32,
    limit: Option<u32>,
}

#[inline(always)]
const fn shared_memory(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> SharedMemory {
    let reserved = sm.smem_reserved_per_block as u64;
    let unit = sm.smem_allocation_unit.get() as u64;
    let asked = kernel.static_smem as u64 + launch.dynamic_smem as u64 + reserved;
    let per_block = round_up!(asked, unit);
    let most = if launch.smem_optin { sm.smem_per_block_optin } else { sm.smem_per_block } as u64 + reserved;
    let preferred = match launch.carveout {
        Carveout::Default => sm.smem_per_sm,
        carveout => preferred_smem(sm, carveout),
    };
    if per_block > most || per_block > u32::MAX as u64 {
        let per_block = if per_block > u32::MAX as u64 { u32::MAX } else { per_block as u32 };
        return SharedMemory { per_block, per_sm: preferred, limit: Some(0) };
    }
    let per_block = per_block as u32;
    let per_sm = if preferred >= per_block { preferred } else { raised_smem(sm, per_block) };
    let limit = per_sm.checked_div(per_block);
    SharedMemory { per_block, per_sm, limit }
}

/// The shared memory a preference gets on this SM, in bytes.
#[inline(always)]
const fn preferred_smem(sm: &SmLimits, carveout: Carveout) -> u32 {
    match sm.smem_split {
        SmemSplit::Fixed => sm.smem_per_sm,
        SmemSplit::CacheConfig([prefer_l1, prefer_equal, _]) => match carveout {
            Carveout::PreferL1 => prefer_l1,
            Carveout::PreferEqual => prefer_equal,
            _ => sm.smem_per_sm,
        },
        SmemSplit::Carveouts(sizes) => {
            let percent = match carveout {
                Carveout::Default => return sm.smem_per_sm,
                Carveout::PreferShared => 100,
                Carveout::PreferEqual => 50,
                Carveout::PreferL1 => 0,
                Carveout::Percent(percent) => percent as u64,
            };
            let bytes = sm.smem_per_sm as u64 * percent / 100;
            next_carveout(sm, sizes, if bytes > sm.smem_per_sm as u64 { sm.smem_per_sm } else { bytes as u32 })
        }
    }
}

/// The shared memory of an SM whose preference cannot hold one block: just enough for one, where that can be chosen.
#[inline(always)]
const fn raised_smem(sm: &SmLimits, per_block: u32) -> u32 {
    match sm.smem_split {
        SmemSplit::Fixed | SmemSplit::CacheConfig(_) => sm.smem_per_sm,
        SmemSplit::Carveouts(sizes) => next_carveout(sm, sizes, per_block),
    }
}

/// The smallest size that holds `bytes`; all there is where none does.
#[inline(always)]
pub(crate) const fn next_carveout(sm: &SmLimits, sizes: &[u32], bytes: u32) -> u32 {
    let mut next = sm.smem_per_sm;
    let mut at = sizes.len();
    while at > 0 {
        at -= 1;
        next = if sizes[at] >= bytes { sizes[at] } else { next };
    }
    next
}

impl SmLimits {
    /// Most static and dynamic shared memory of one block in bytes, with or without the opt-in.
    pub const fn smem_limit(&self, optin: bool) -> u32 {
        if optin { self.smem_per_block_optin } else { self.smem_per_block }
    }

    /// The shared memory `carveout` gives this SM in bytes, before it is raised for a block that needs more.
    ///
    /// ```
    /// use occ_core::{Arch, Carveout};
    ///
    /// // Half of 164 KiB is 82 KiB; the next size the hardware has is 100 KiB.
    /// assert_eq!(Arch::SM_80.limits().smem_for(Carveout::Percent(50)), 100 << 10);
    /// ```
    pub const fn smem_for(&self, carveout: Carveout) -> u32 {
        preferred_smem(self, carveout)
    }
}

#[inline(always)]
pub(crate) const fn min(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// `value` rounded up to a multiple of `unit`; the largest multiple that fits where the next does not.
#[inline(always)]
pub(crate) const fn round_up(value: u32, unit: NonZeroU32) -> u32 {
    let unit = unit.get();
    match value.checked_next_multiple_of(unit) {
        Some(multiple) => multiple,
        None => u32::MAX - u32::MAX % unit,
    }
}

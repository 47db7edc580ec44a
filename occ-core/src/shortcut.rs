//! The quick way to a yes, for launches the compiler checks as constants.

use crate::arch::Arch;

/// What the shortcut asks of each capability's row: warps and blocks of an SM, shared memory of a block and of an SM,
/// registers of a block and of an SM, barriers of an SM.
static ROOMS: [[f64; 7]; Arch::COUNT] = {
    let mut rooms = [[0.0; 7]; Arch::COUNT];
    let mut at = 0;
    while at < Arch::COUNT {
        let sm = Arch::ALL[at].limits();
        rooms[at] = [
            sm.max_warps_per_sm as f64,
            sm.max_blocks_per_sm as f64,
            sm.smem_per_block_optin as f64,
            sm.smem_per_sm as f64,
            sm.registers_per_block as f64,
            sm.registers_per_sm as f64,
            match sm.barriers_per_sm {
                Some(pool) => pool as f64,
                None => f64::INFINITY,
            },
        ];
        at += 1;
    }
    rooms
};

/// Returns whether a launch certainly runs and reaches an occupancy on every capability of a set.
///
/// The compiler interprets constants about a hundred times slower than it would run them, and most launches pass: so
/// a yes is looked for first, by multiplying where [`occupancy`](crate::occupancy()) divides, and with every size
/// rounded up as coarsely as on any capability. `true` is certain; `false` says that the whole calculation is needed.
///
/// `archs` has bit *n* set for `Arch::ALL[n]`; `resources` are dynamic and static shared memory per block in bytes
/// (opted into where needed), registers per thread (0: not known) and barriers per block. No other preference is made.
///
/// ```
/// use occ_core::Arch;
/// use occ_core::internal::{arch_bits, certainly_reaches};
///
/// let archs = arch_bits(&[Arch::SM_80, Arch::SM_90]);
/// assert!(certainly_reaches(archs, [256, 1, 1], [4096, 0, 64, 1], 0.5));
/// assert!(!certainly_reaches(archs, [256, 1, 1], [4096, 0, 65, 1], 0.5));
/// ```
pub const fn certainly_reaches(archs: u32, block: [u32; 3], resources: [u32; 4], min_occupancy: f64) -> bool {
    let [x, y, z] = block;
    let [dynamic_smem, static_smem, registers, barriers] = resources;
    // Within these bounds nothing below can overflow.
    if x > 1024 || y > 1024 || z > 64 || dynamic_smem > 1 << 20 || static_smem > 48 << 10 || registers > 255 {
        return false;
    }
    let threads = x * y * z;
    if threads == 0 || threads > 1024 || barriers > 16 || archs == 0 || !(min_occupancy >= 0.0 && min_occupancy <= 1.0)
    {
        return false;
    }
    let whole_warps = (threads + 31) >> 5;
    let per_warp = ((registers + 7) & !7) << 5;
    // From here in `f64`, which holds every product exactly and, unlike integers, is not checked for overflow.
    let warps = whole_warps as f64;
    let smem = ((dynamic_smem + static_smem + 1024 + 255) & !255) as f64;
    let per_warp = per_warp as f64;
    let per_block = per_warp * ((whole_warps + 3) & !3) as f64;
    let barriers = barriers as f64;
    let mut rest = archs;
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        if at >= Arch::COUNT {
            return false;
        }
        rest &= rest - 1;
        let [most_warps, most_blocks, most_smem, all_smem, most_registers, all_registers, all_barriers] = ROOMS[at];
        // As many blocks as the occupancy takes, at least one: then ask whether they fit.
        let share = min_occupancy * most_warps / warps;
        let whole = share as u32 as f64;
        let blocks = if whole < share || whole < 1.0 { whole + 1.0 } else { whole };
        let resident = blocks * warps;
        if resident > most_warps
            || resident / most_warps < min_occupancy
            || blocks > most_blocks
            || smem > most_smem
            || blocks * smem > all_smem
            || per_block > most_registers
            || ((resident as u32 + 3) & !3) as f64 * per_warp > all_registers
            || blocks * barriers > all_barriers
        {
            return false;
        }
    }
    true
}

/// Returns a set of capabilities: bit *n* is `Arch::ALL[n]`.
pub const fn arch_bits(archs: &[Arch]) -> u32 {
    let mut bits = 0;
    let mut at = 0;
    while at < archs.len() {
        bits |= 1 << archs[at].index();
        at += 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, Kernel, Launch, Requirement, Rule};
    use proptest::prelude::*;

    /// The shortcut rounds as coarsely as any row and takes four sub-partitions for granted.
    #[test]
    fn no_row_is_coarser() {
        for arch in Arch::ALL {
            let sm = arch.limits();
            assert_eq!(sm.warp_size.get(), 32);
            assert!(256 % sm.smem_allocation_unit.get() == 0 && sm.smem_reserved_per_block <= 1024);
            assert_eq!(sm.register_allocation_unit.get(), 256);
            assert!(4 % sm.sub_partitions.get() == 0 && sm.launch_sub_partitions.get() == 4);
            assert!(sm.max_registers_per_thread >= 255 && sm.registers_per_sm.is_multiple_of(4 * 256));
            assert_eq!(
                (sm.max_block_axes, sm.max_threads_per_block, sm.barriers_per_block),
                ([1024, 1024, 64], 1024, 16)
            );
        }
    }

    fn passes(archs: &[Arch], block: [u32; 3], resources: [u32; 4], min_occupancy: f64) -> bool {
        let [dynamic_smem, static_smem, registers, barriers] = resources;
        let kernel = Kernel { registers: (registers > 0).then_some(registers), static_smem, barriers, ..Kernel::new() };
        let requirement = Requirement::new().min_occupancy(min_occupancy);
        let launch = Launch::block(block).dynamic_smem(dynamic_smem);
        Check { archs, kernel, launch, requirement, ..Check::new() }.verdict(Rule::Launch).passes()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever passes the shortcut passes the whole check.
        #[test]
        fn a_yes_is_certain(
            first in 0..Arch::COUNT,
            second in 0..Arch::COUNT,
            block in prop_oneof![
                (0u32..1100).prop_map(|x| [x, 1, 1]),
                (0u32..40, 0u32..40, 0u32..70).prop_map(|(x, y, z)| [x, y, z]),
                any::<[u32; 3]>(),
            ],
            dynamic_smem in prop_oneof![Just(0), 0u32..240_000, any::<u32>()],
            static_smem in prop_oneof![Just(0), 0u32..50_000, any::<u32>()],
            registers in prop_oneof![0u32..260, any::<u32>()],
            barriers in prop_oneof![0u32..18, any::<u32>()],
            min_occupancy in prop_oneof![
                Just(0.0), (0u32..=64).prop_map(|w| f64::from(w) / 64.0), (0u32..=48).prop_map(|w| f64::from(w) / 48.0),
                0.0f64..1.1, any::<f64>(),
            ],
        ) {
            let archs = [Arch::ALL[first], Arch::ALL[second]];
            let resources = [dynamic_smem, static_smem, registers, barriers];
            if certainly_reaches(arch_bits(&archs), block, resources, min_occupancy) {
                prop_assert!(passes(&archs, block, resources, min_occupancy));
            }
        }
    }

    /// The shortcut finds nearly all launches without shared memory that pass on one capability.
    #[test]
    fn most_passing_launches_take_the_shortcut() {
        let (mut passing, mut quick) = (0, 0);
        for arch in Arch::ALL {
            for warps in 1..=32 {
                for registers in 1..=255 {
                    for quarters in 0..=4 {
                        let (block, resources) = ([warps * 32, 1, 1], [0, 0, registers, 1]);
                        let min_occupancy = f64::from(quarters) / 4.0;
                        passing += u32::from(passes(&[arch], block, resources, min_occupancy));
                        quick += u32::from(certainly_reaches(arch_bits(&[arch]), block, resources, min_occupancy));
                    }
                }
            }
        }
        assert!(quick <= passing && f64::from(quick) > 0.98 * f64::from(passing), "{quick} of {passing}");
    }
}

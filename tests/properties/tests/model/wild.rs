//! Random values that no launch has, often at an edge.

use crate::launches::{Declared, carveout, declared, kernel, launch, requirement, requirement_of};
use occ_core::{Kernel, Launch, Requirement, SmLimits, SmemSplit};
use occ_tests::with;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use std::num::NonZeroU32;

/// Any number, often one at an edge.
pub(crate) fn wild() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => select(vec![0, 1, 2, 3, 31, 32, 33, 255, 256, 1024, 65_536, 1 << 31, (1 << 31) - 1, u32::MAX - 1, u32::MAX]),
        1 => any::<u32>(),
        1 => 0..2000u32,
    ]
}

pub(crate) fn wild_nonzero() -> impl Strategy<Value = NonZeroU32> {
    wild().prop_map(|value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN))
}

pub(crate) fn wild_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(vec![0.0, -0.0, 0.5, 1.0, 1.5, 1e9, 1e19, 1e300, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::EPSILON]),
        select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0]),
        0.0..=1.0f64,
        any::<f64>(),
    ]
}

pub(crate) fn wild_sm() -> impl Strategy<Value = SmLimits> {
    (
        [wild_nonzero(), wild_nonzero(), wild_nonzero(), wild_nonzero(), wild_nonzero()],
        prop::array::uniform16(wild()),
        (option::of(wild()), option::of(wild()), any::<bool>(), option::of(wild()), option::of(wild())),
        prop_oneof![
            Just(SmemSplit::Fixed),
            [wild(), wild(), wild()].prop_map(SmemSplit::CacheConfig),
            select(vec![
                SmemSplit::Carveouts(&[]),
                SmemSplit::Carveouts(&[0]),
                SmemSplit::Carveouts(&[0, 8192, u32::MAX]),
                SmemSplit::Carveouts(&[0, 8192, 16_384]),
            ]),
        ],
    )
        .prop_map(|(units, numbers, pools, smem_split)| {
            let [warp_size, register_allocation_unit, sub_partitions, launch_sub_partitions, smem_allocation_unit] =
                units;
            with!(SmLimits::TEXTBOOK, warp_size,
                max_threads_per_block: numbers[0],
                max_block_axes: [numbers[1], numbers[2], numbers[3]],
                max_grid_axes: [numbers[4], numbers[5], numbers[6]],
                max_warps_per_sm: numbers[7],
                max_blocks_per_sm: numbers[8],
                registers_per_sm: numbers[9],
                registers_per_block: numbers[10],
                max_registers_per_thread: numbers[11].min(1000),
                register_allocation_unit,
                sub_partitions,
                launch_sub_partitions,
                smem_per_sm: numbers[12],
                smem_per_block: numbers[13],
                smem_per_block_optin: numbers[14],
                smem_reserved_per_block: numbers[15],
                smem_allocation_unit,
                smem_split,
                barriers_per_block: numbers[0].min(numbers[1]),
                barriers_per_sm: pools.0,
                virtual_resources_per_sm: pools.1,
                partitioned_l1: pools.2,
                max_cluster_portable: pools.3,
                max_cluster: pools.4)
        })
}

pub(crate) fn wild_kernel() -> impl Strategy<Value = Kernel> {
    (option::of(wild()), wild(), wild(), wild(), option::of(wild()), any::<bool>()).prop_map(
        |(registers, static_smem, barriers, virtual_resources, max_threads, l1_caching)| {
            with!(Kernel::new(), registers,
            static_smem,
            barriers,
            virtual_resources,
            max_threads,
            bounds: None,
            l1_caching)
        },
    )
}

pub(crate) fn axes() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![[wild(), wild(), wild()], wild().prop_map(|x| [x, 1, 1])]
}

pub(crate) fn wild_launch() -> impl Strategy<Value = Launch> {
    (axes(), wild(), any::<bool>(), carveout(), option::of(axes()), option::of(axes())).prop_map(
        |(block, dynamic_smem, smem_optin, carveout, cluster, grid)| {
            with!(Launch::new(1), block, dynamic_smem, smem_optin, carveout, cluster, grid)
        },
    )
}

pub(crate) fn wild_requirement() -> impl Strategy<Value = Requirement> {
    (
        option::of(wild_f64()),
        option::of(wild()),
        option::of(wild()),
        option::of(wild_f64()),
        option::of(wild_f64()),
        option::of(wild_f64()),
        option::of(wild_f64()),
    )
        .prop_map(requirement_of)
}

/// Launches and requirements as they come, and with values no launch has.
pub(crate) fn wild_declared() -> impl Strategy<Value = Declared> {
    (
        declared(),
        prop_oneof![kernel().boxed(), wild_kernel().boxed()],
        prop_oneof![launch().boxed(), wild_launch().boxed()],
        prop_oneof![1 => requirement().boxed(), 2 => wild_requirement().boxed()],
    )
        .prop_map(|(declared, kernel, launch, requirement)| Declared { kernel, launch, requirement, ..declared })
}

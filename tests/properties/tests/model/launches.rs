//! Random launches, kernels and requirements as people write them, and SMs that could exist.

use occ_core::{Arch, Carveout, Check, Gpu, Kernel, Launch, LaunchBounds, Requirement, SmLimits};
use occ_tests::with;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use std::num::NonZeroU32;

/// What a [`Check`] borrows.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) archs: Vec<Arch>,
    pub(crate) gpus: Vec<&'static Gpu>,
    pub(crate) kernel: Kernel,
    pub(crate) registers_are_cap: bool,
    pub(crate) launch: Launch,
    pub(crate) requirement: Requirement,
}

impl Declared {
    pub(crate) fn check(&self) -> Check<'_> {
        Check {
            archs: &self.archs,
            gpus: &self.gpus,
            kernel: self.kernel,
            registers_are_cap: self.registers_are_cap,
            launch: self.launch,
            requirement: self.requirement,
            ..Check::new()
        }
    }
}

pub(crate) fn archs() -> impl Strategy<Value = Vec<Arch>> {
    prop_oneof![
        3 => select(Arch::ALL.to_vec()).prop_map(|arch| vec![arch]),
        4 => subsequence(Arch::ALL.to_vec(), 2..=6),
        1 => Just(Arch::ALL.to_vec()),
        1 => Just(Arch::ALL[16..].to_vec()),
    ]
}

pub(crate) fn kernel() -> impl Strategy<Value = Kernel> {
    (
        option::weighted(0.9, prop_oneof![12 => 1..=255u32, 1 => 0..400u32]),
        prop_oneof![4 => Just(0u32), 3 => 0..=49_152u32, 1 => 0..70_000u32],
        prop_oneof![3 => Just(1u32), 3 => 0..=16u32, 1 => 0..24u32],
        prop_oneof![9 => Just(0u32), 1 => select(vec![1, 64, 128, 129])],
        option::weighted(0.1, 0..1100u32),
        option::weighted(0.1, launch_bounds()),
        any::<bool>(),
    )
        .prop_map(|(registers, static_smem, barriers, virtual_resources, max_threads, bounds, l1_caching)| {
            with!(Kernel::new(), registers, static_smem, barriers, virtual_resources, max_threads, bounds, l1_caching)
        })
}

pub(crate) fn launch_bounds() -> impl Strategy<Value = LaunchBounds> {
    (option::of(block()), option::of([1..=4u32, 1..=2u32, 1..=2u32]), option::of(0..10u32), any::<(bool, bool)>())
        .prop_map(|(required_block, required_cluster, max_cluster_blocks, (needs_cluster, grid_counts_clusters))| {
            with!(
                LaunchBounds::new(),
                required_block,
                required_cluster,
                max_cluster_blocks,
                needs_cluster,
                grid_counts_clusters
            )
        })
}

pub(crate) fn block() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![
        4 => (1..=32u32).prop_map(|warps| [warps * 32, 1, 1]),
        4 => (0..=1100u32).prop_map(|threads| [threads, 1, 1]),
        2 => (1..=64u32, 1..=32u32).prop_map(|(x, y)| [x, y, 1]),
        2 => (0..=16u32, 0..=16u32, 0..=70u32).prop_map(|(x, y, z)| [x, y, z]),
    ]
}

pub(crate) fn carveout() -> impl Strategy<Value = Carveout> {
    prop_oneof![
        6 => Just(Carveout::Default),
        3 => (0..=100u8).prop_map(Carveout::Percent),
        1 => any::<u8>().prop_map(Carveout::Percent),
        1 => select(vec![Carveout::PreferL1, Carveout::PreferEqual, Carveout::PreferShared]),
    ]
}

pub(crate) fn launch() -> impl Strategy<Value = Launch> {
    (
        block(),
        prop_oneof![3 => Just(0u32), 4 => 0..110_000u32, 2 => 0..250_000u32],
        prop::bool::weighted(0.8),
        carveout(),
        option::weighted(0.2, [0..=5u32, 0..=3u32, 1..=2u32]),
        option::weighted(
            0.5,
            prop_oneof![
                6 => (1..6000u32).prop_map(|x| [x, 1, 1]),
                2 => [0..100u32, 0..100u32, 1..3u32],
                1 => (65_530..65_540u32).prop_map(|y| [1, y, 1]),
            ],
        ),
    )
        .prop_map(|(block, dynamic_smem, smem_optin, carveout, cluster, grid)| {
            with!(Launch::new(1), block, dynamic_smem, smem_optin, carveout, cluster, grid)
        })
}

/// Fractions as people write them.
pub(crate) fn fraction() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => select(vec![0.1, 0.25, 0.3, 0.33, 0.5, 0.6, 0.66, 0.667, 0.6667, 0.75, 0.8, 0.875, 0.9, 1.0, 2.0 / 3.0]),
        2 => (0..=64u32).prop_map(|warps| f64::from(warps) / 64.0),
        2 => (0..=1000u32).prop_map(|thousandths| f64::from(thousandths) / 1000.0),
        1 => 0.0..=1.0f64,
    ]
}

type Fraction = Option<f64>;
type Count = Option<u32>;

/// Makes a requirement from one value for each of its fields.
pub(crate) fn requirement_of(
    (min_occupancy, min_blocks_per_sm, min_warps_per_sm, min_lane_efficiency, min_waves, max_waves, max_tail_idle): (
        Fraction,
        Count,
        Count,
        Fraction,
        Fraction,
        Fraction,
        Fraction,
    ),
) -> Requirement {
    Requirement {
        min_occupancy,
        min_blocks_per_sm,
        min_warps_per_sm,
        min_lane_efficiency,
        min_waves,
        max_waves,
        max_tail_idle,
    }
}

pub(crate) fn requirement() -> impl Strategy<Value = Requirement> {
    (
        option::weighted(0.6, fraction()),
        option::weighted(0.2, 0..34u32),
        option::weighted(0.2, 0..66u32),
        option::weighted(0.3, fraction()),
        option::weighted(0.4, prop_oneof![(0..40u32).prop_map(|n| f64::from(n) / 4.0), 0.0..30.0f64]),
        option::weighted(0.2, prop_oneof![(0..40u32).prop_map(|n| f64::from(n) / 4.0), 0.0..30.0f64]),
        option::weighted(0.4, fraction()),
    )
        .prop_map(requirement_of)
}

pub(crate) fn declared() -> impl Strategy<Value = Declared> {
    (archs(), vec(any::<Index>(), 0..=3), kernel(), any::<bool>(), launch(), requirement()).prop_map(
        |(archs, picks, kernel, registers_are_cap, launch, requirement)| {
            let known: Vec<&Gpu> = Gpu::ALL.iter().filter(|gpu| archs.contains(&gpu.arch)).collect();
            let gpus = if known.is_empty() { Vec::new() } else { picks.iter().map(|pick| *pick.get(&known)).collect() };
            Declared { archs, gpus, kernel, registers_are_cap, launch, requirement }
        },
    )
}

/// An SM built by hand that could exist.
pub(crate) fn plausible_sm() -> impl Strategy<Value = SmLimits> {
    let real = select(Arch::ALL.map(|arch| *arch.limits()).to_vec());
    let by_hand = (
        (select(vec![16u32, 32, 32, 64]), 1..=64u32, 1..=64u32, 1..=2048u32),
        (1..=140_000u32, 1..=140_000u32, 1..=300u32, select(vec![1u32, 8, 64, 128, 256, 512, 1000])),
        (1..=8u32, 1..=8u32),
        (0..=256u32, 0..=256u32, 0..=256u32, 0..=2048u32, select(vec![1u32, 3, 128, 256, 1024])),
        (option::of(0..=64u32), option::of(0..=128u32), any::<bool>()),
    )
        .prop_map(|(warps, registers, parts, smem, pools)| {
            let nonzero = |value| NonZeroU32::new(value).unwrap();
            // A block may use no more with the opt-in than the SM has, and no more without it than with it.
            let smem_per_block_optin = (smem.1 << 10).min((smem.0 << 10).saturating_sub(smem.3));
            with!(SmLimits::TEXTBOOK, warp_size: nonzero(warps.0),
                max_warps_per_sm: warps.1,
                max_blocks_per_sm: warps.2,
                max_threads_per_block: warps.3,
                max_block_axes: [warps.3, warps.3, 64],
                registers_per_sm: registers.0,
                registers_per_block: registers.1,
                max_registers_per_thread: registers.2,
                register_allocation_unit: nonzero(registers.3),
                sub_partitions: nonzero(parts.0),
                launch_sub_partitions: nonzero(parts.1),
                smem_per_sm: smem.0 << 10,
                smem_per_block: (smem.2 << 10).min(smem_per_block_optin),
                smem_per_block_optin,
                smem_reserved_per_block: smem.3,
                smem_allocation_unit: nonzero(smem.4),
                barriers_per_sm: pools.0,
                virtual_resources_per_sm: pools.1,
                partitioned_l1: pools.2)
        });
    prop_oneof![real, by_hand]
}

//! What must hold for every input, tried on many: random launches, random SMs, and values no launch has.
//!
//! The seeds are fixed and nothing is written to disk, so that a run here is a run anywhere.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod random;

use occ_core::internal::{Text, did_you_mean};
use occ_core::{
    Arch, BlockSmem, Carveout, Change, Check, Gpu, Kernel, LatencyHiding, Launch, LaunchBounds, OccupancyMap, Path,
    Requirement, Rule, SmLimits, SmemSplit, Step, Target, Waves, allocation, available_dynamic_smem, best_block_size,
    best_block_size_for, best_block_size_with, cluster_upper_bound, divergence_lane_use, lane_efficiency, occupancy,
    register_budget, steps,
};
use occ_tests::with;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use random::check;
use std::cell::Cell;
use std::num::NonZeroU32;

// ---------------------------------------------------------------------------------------------------------------------
// What is generated.

/// What a [`Check`] borrows.
#[derive(Clone, Debug)]
struct Declared {
    archs: Vec<Arch>,
    gpus: Vec<&'static Gpu>,
    kernel: Kernel,
    registers_are_cap: bool,
    launch: Launch,
    requirement: Requirement,
}

impl Declared {
    fn check(&self) -> Check<'_> {
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

fn archs() -> impl Strategy<Value = Vec<Arch>> {
    prop_oneof![
        3 => select(Arch::ALL.to_vec()).prop_map(|arch| vec![arch]),
        4 => subsequence(Arch::ALL.to_vec(), 2..=6),
        1 => Just(Arch::ALL.to_vec()),
        1 => Just(Arch::ALL[16..].to_vec()),
    ]
}

fn kernel() -> impl Strategy<Value = Kernel> {
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

fn launch_bounds() -> impl Strategy<Value = LaunchBounds> {
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

fn block() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![
        4 => (1..=32u32).prop_map(|warps| [warps * 32, 1, 1]),
        4 => (0..=1100u32).prop_map(|threads| [threads, 1, 1]),
        2 => (1..=64u32, 1..=32u32).prop_map(|(x, y)| [x, y, 1]),
        2 => (0..=16u32, 0..=16u32, 0..=70u32).prop_map(|(x, y, z)| [x, y, z]),
    ]
}

fn carveout() -> impl Strategy<Value = Carveout> {
    prop_oneof![
        6 => Just(Carveout::Default),
        3 => (0..=100u8).prop_map(Carveout::Percent),
        1 => any::<u8>().prop_map(Carveout::Percent),
        1 => select(vec![Carveout::PreferL1, Carveout::PreferEqual, Carveout::PreferShared]),
    ]
}

fn launch() -> impl Strategy<Value = Launch> {
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
fn fraction() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => select(vec![0.1, 0.25, 0.3, 0.33, 0.5, 0.6, 0.66, 0.667, 0.6667, 0.75, 0.8, 0.875, 0.9, 1.0, 2.0 / 3.0]),
        2 => (0..=64u32).prop_map(|warps| f64::from(warps) / 64.0),
        2 => (0..=1000u32).prop_map(|thousandths| f64::from(thousandths) / 1000.0),
        1 => 0.0..=1.0f64,
    ]
}

fn requirement() -> impl Strategy<Value = Requirement> {
    (
        option::weighted(0.6, fraction()),
        option::weighted(0.2, 0..34u32),
        option::weighted(0.2, 0..66u32),
        option::weighted(0.3, fraction()),
        option::weighted(0.4, prop_oneof![(0..40u32).prop_map(|n| f64::from(n) / 4.0), 0.0..30.0f64]),
        option::weighted(0.4, fraction()),
    )
        .prop_map(
            |(min_occupancy, min_blocks_per_sm, min_warps_per_sm, min_lane_efficiency, min_waves, max_tail_idle)| {
                Requirement {
                    min_occupancy,
                    min_blocks_per_sm,
                    min_warps_per_sm,
                    min_lane_efficiency,
                    min_waves,
                    max_tail_idle,
                }
            },
        )
}

fn declared() -> impl Strategy<Value = Declared> {
    (archs(), vec(any::<Index>(), 0..=3), kernel(), any::<bool>(), launch(), requirement()).prop_map(
        |(archs, picks, kernel, registers_are_cap, launch, requirement)| {
            let known: Vec<&Gpu> = Gpu::ALL.iter().filter(|gpu| archs.contains(&gpu.arch)).collect();
            let gpus = if known.is_empty() { Vec::new() } else { picks.iter().map(|pick| *pick.get(&known)).collect() };
            Declared { archs, gpus, kernel, registers_are_cap, launch, requirement }
        },
    )
}

/// An SM built by hand that could exist.
fn plausible_sm() -> impl Strategy<Value = SmLimits> {
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

/// Any number, often one at an edge.
fn wild() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => select(vec![0, 1, 2, 3, 31, 32, 33, 255, 256, 1024, 65_536, 1 << 31, (1 << 31) - 1, u32::MAX - 1, u32::MAX]),
        1 => any::<u32>(),
        1 => 0..2000u32,
    ]
}

fn wild_nonzero() -> impl Strategy<Value = NonZeroU32> {
    wild().prop_map(|value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN))
}

fn wild_f64() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(vec![0.0, -0.0, 0.5, 1.0, 1.5, 1e9, 1e19, 1e300, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::EPSILON]),
        select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0]),
        0.0..=1.0f64,
        any::<f64>(),
    ]
}

fn wild_sm() -> impl Strategy<Value = SmLimits> {
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

fn wild_kernel() -> impl Strategy<Value = Kernel> {
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

fn axes() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![[wild(), wild(), wild()], wild().prop_map(|x| [x, 1, 1])]
}

fn wild_launch() -> impl Strategy<Value = Launch> {
    (axes(), wild(), any::<bool>(), carveout(), option::of(axes()), option::of(axes())).prop_map(
        |(block, dynamic_smem, smem_optin, carveout, cluster, grid)| {
            with!(Launch::new(1), block, dynamic_smem, smem_optin, carveout, cluster, grid)
        },
    )
}

fn wild_requirement() -> impl Strategy<Value = Requirement> {
    (
        option::of(wild_f64()),
        option::of(wild()),
        option::of(wild()),
        option::of(wild_f64()),
        option::of(wild_f64()),
        option::of(wild_f64()),
    )
        .prop_map(
            |(min_occupancy, min_blocks_per_sm, min_warps_per_sm, min_lane_efficiency, min_waves, max_tail_idle)| {
                Requirement {
                    min_occupancy,
                    min_blocks_per_sm,
                    min_warps_per_sm,
                    min_lane_efficiency,
                    min_waves,
                    max_tail_idle,
                }
            },
        )
}

/// Launches and requirements as they come, and with values no launch has.
fn wild_declared() -> impl Strategy<Value = Declared> {
    (
        declared(),
        prop_oneof![kernel().boxed(), wild_kernel().boxed()],
        prop_oneof![launch().boxed(), wild_launch().boxed()],
        prop_oneof![1 => requirement().boxed(), 2 => wild_requirement().boxed()],
    )
        .prop_map(|(declared, kernel, launch, requirement)| Declared { kernel, launch, requirement, ..declared })
}

// ---------------------------------------------------------------------------------------------------------------------
// Advice and messages.

/// Whether `changed` passes `rule`, and every other rule that `before` passes.
fn is_enough(before: &Check<'_>, changed: &Check<'_>, rule: Rule) -> bool {
    let breaks = |other: &Rule| before.verdict(*other).passes() && !changed.verdict(*other).passes();
    changed.verdict(rule).passes() && !Rule::ALL.iter().any(breaks)
}

/// The same change one further, for those that are amounts.
fn one_more(change: Change) -> Option<Change> {
    match change {
        Change::Registers(value) => Some(Change::Registers(value + 1)),
        Change::DynamicSmem(value) => Some(Change::DynamicSmem(value + 1)),
        Change::StaticSmem(value) => Some(Change::StaticSmem(value + 1)),
        Change::Barriers(value) => Some(Change::Barriers(value + 1)),
        _ => None,
    }
}

/// What a line of help says.
#[derive(Debug)]
struct Help {
    /// The change it names.
    change: Option<Change>,
    /// What is reached with it, in the requirement's unit.
    reaches: Option<f64>,
    /// `__launch_bounds__(threads, blocks)`.
    bounds: Option<(u32, u32)>,
    /// `-maxrregcount=`.
    cap: Option<u32>,
}

/// How a help begins that names a value, and the change it means.
type Form<Value> = (&'static str, fn(Value) -> Change);

/// Reads a line of help. Every number in it is read; a form that is not known fails.
fn read_help(line: &str) -> Help {
    let mut help = Help { change: None, reaches: None, bounds: None, cap: None };
    let amounts: [Form<u32>; 5] = [
        ("with `registers` at most ", Change::Registers),
        ("with `max_registers` at most ", Change::Registers),
        ("with `dynamic_smem` at most ", Change::DynamicSmem),
        ("with `static_smem` at most ", Change::StaticSmem),
        ("with `barriers` at most ", Change::Barriers),
    ];
    let shapes: [Form<[u32; 3]>; 2] = [("with `block = ", Change::Block), ("with `grid = ", Change::Grid)];
    let mut rest = line;
    for (start, change) in amounts {
        if let Some(after) = line.strip_prefix(start) {
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            help.change = Some(change(after[..digits].parse().unwrap()));
            rest = &after[digits..];
        }
    }
    for (start, change) in shapes {
        if let Some(after) = line.strip_prefix(start) {
            let (axes, after) = after.split_once('`').unwrap();
            let axes: Vec<u32> = axes.trim_matches(['(', ')']).split(", ").map(|axis| axis.parse().unwrap()).collect();
            let length = |at: usize| axes.get(at).copied().unwrap_or(1);
            help.change = Some(change([length(0), length(1), length(2)]));
            rest = after;
        }
    }
    for (start, change) in [
        ("without `carveout`", Change::NoCarveout),
        ("without `cluster`", Change::NoCluster),
        ("without static shared memory", Change::StaticSmem(0)),
        ("without dynamic shared memory", Change::DynamicSmem(0)),
    ] {
        if let Some(after) = line.strip_prefix(start) {
            help.change = Some(change);
            rest = after;
        }
    }
    if let Some(after) = line.strip_prefix("no other single change was found; `min_occupancy = ") {
        let (value, after) = after.split_once('`').unwrap();
        help.change = Some(Change::MinOccupancy(value.parse().unwrap()));
        rest = after;
    }
    if let Some((before, after)) = rest.split_once(" (compile the kernel with `") {
        if let Some(cap) = after.strip_prefix("-maxrregcount=") {
            help.cap = Some(cap.strip_suffix("`)").unwrap().parse().unwrap());
        } else {
            let inner = after.strip_prefix("__launch_bounds__(").unwrap().strip_suffix(")`)").unwrap();
            let (threads, blocks) = inner.split_once(", ").unwrap_or((inner, "1"));
            help.bounds = Some((threads.parse().unwrap(), blocks.parse().unwrap()));
        }
        rest = before;
    }
    if let Some((_, after)) = rest.split_once(" it reaches ")
        && !after.starts_with("all that is required")
    {
        let digits = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        help.reaches = Some(after[..digits].parse().unwrap());
        rest = &after[digits..];
    }
    assert!(!rest.contains(|c: char| c.is_ascii_digit()), "a number is not accounted for: {line}");
    help
}

/// The lowest number over the capabilities of what the first line of a message is about.
fn lowest_reached(check: &Check<'_>, first_line: &str) -> f64 {
    let of = |arch: &Arch| {
        let answer = check.on(*arch).unwrap();
        if first_line.starts_with("occupancy") {
            answer.fraction() * 100.0
        } else if first_line.starts_with("blocks per SM") {
            f64::from(answer.blocks_per_sm)
        } else {
            f64::from(answer.warps_per_sm())
        }
    };
    check.archs.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// Every change that is advised makes the launch pass and breaks nothing; every amount is the largest that does; and
/// every line of help names such a change.
#[test]
fn advice_is_true() {
    let failing = Cell::new(0);
    let lines = Cell::new(0);
    check(12_000, &declared(), |declared| {
        let check = declared.check();
        for rule in Rule::ALL {
            if check.verdict(rule).passes() {
                prop_assert!(check.advice(rule).is_empty() && check.explain(rule).is_empty());
                continue;
            }
            failing.set(failing.get() + 1);
            let advised: Vec<Change> = check.advice(rule).changes().into_iter().flatten().collect();
            for &change in &advised {
                prop_assert!(is_enough(&check, &check.with(change), rule), "{rule:?} {change:?}");
                if let Some(more) = one_more(change) {
                    prop_assert!(!is_enough(&check, &check.with(more), rule), "{rule:?} {more:?} is enough too");
                }
            }

            let text = check.explain(rule);
            prop_assert!(text.as_str().len() < <Text>::CAPACITY - 3, "cut: {}", text);
            let first_line = text.as_str().lines().next().unwrap();
            let helps: Vec<Help> =
                text.as_str().lines().filter_map(|line| line.strip_prefix("= help: ")).map(read_help).collect();
            let named: Vec<Change> = helps.iter().filter_map(|help| help.change).collect();
            prop_assert_eq!(named.len(), advised.len(), "{}", text);
            for help in &helps {
                lines.set(lines.get() + 1);
                let Some(change) = help.change else {
                    prop_assert!(help.bounds.is_none() && help.cap.is_none() && help.reaches.is_none());
                    continue;
                };
                let changed = check.with(change);
                prop_assert!(is_enough(&check, &changed, rule), "{:?}\n{}", help, text);
                if let Some(reaches) = help.reaches {
                    // As it is printed, to four decimals of a percent.
                    prop_assert!(lowest_reached(&changed, first_line) >= reaches - 0.000_051, "{:?}\n{}", help, text);
                }
                if let Some(cap) = help.cap {
                    prop_assert_eq!(change, Change::Registers(cap), "{}", text);
                }
                if let Some((threads, blocks)) = help.bounds {
                    prop_assert_eq!(threads, check.launch.threads(), "{}", text);
                    // The compiler keeps registers within what admits that many blocks, for each capability.
                    for &arch in check.archs {
                        let budget = register_budget(arch.limits(), &check.kernel, &check.launch, blocks).unwrap();
                        let here = Check { archs: &[arch], gpus: &[], ..check.with(Change::Registers(budget)) };
                        prop_assert!(here.verdict(Rule::Launch).passes(), "{arch} {budget}\n{text}");
                    }
                }
            }
        }
        Ok(())
    });
    assert!(failing.get() >= 5000, "{} failing rules", failing.get());
    assert!(lines.get() >= 5000, "{} lines of help", lines.get());
}

/// Where a message says that no single change was found, none of those a reader would try is.
#[test]
fn no_change_is_enough() {
    const NONE: &str = "= help: no single change was found";
    let said = Cell::new(0);
    check(6000, &declared(), |declared| {
        let check = declared.check();
        let text = check.explain(Rule::Launch);
        if !text.as_str().contains(NONE) {
            return Ok(());
        }
        said.set(said.get() + 1);
        let grid = check.launch.grid.map(|_| Change::Grid([1, 1, 1]));
        let tried = [
            (1..=check.kernel.registers.unwrap_or(0)).map(Change::Registers).collect::<Vec<_>>(),
            (1..=32).map(|warps| Change::Block([warps * 32, 1, 1])).collect(),
            vec![Change::DynamicSmem(0), Change::StaticSmem(0), Change::Barriers(1)],
            vec![Change::NoCarveout, Change::NoCluster],
            grid.into_iter().collect(),
        ];
        for change in tried.into_iter().flatten() {
            prop_assert!(!is_enough(&check, &check.with(change), Rule::Launch), "{change:?} is enough\n{text}");
        }
        Ok(())
    });
    assert!(said.get() >= 200, "{} messages say so", said.get());
}

/// The numbers of a message's first line that stand before and after what is required.
fn first_line_numbers(line: &str) -> Option<(Vec<&str>, &str)> {
    let (reached, required) =
        line.split_once(" below the required ").or_else(|| line.split_once(", above the allowed "))?;
    // `12.5% on sm_80`, `0.31 waves on GeForce RTX 4090`: the first number of each part.
    let numbers = reached
        .split([',', ':'])
        .flat_map(|part| part.split(" and "))
        .filter(|part| !part.ends_with(" more"))
        .filter_map(|part| {
            part.split_whitespace().find(|word| {
                word.trim_end_matches('%').bytes().all(|b| b.is_ascii_digit() || b == b'.')
                    && word.starts_with(|c: char| c.is_ascii_digit())
            })
        })
        .collect();
    Some((numbers, required))
}

fn tells_numbers_apart(text: &str) -> Result<(), TestCaseError> {
    let first_line = text.lines().next().unwrap_or("");
    if let Some((reached, required)) = first_line_numbers(first_line) {
        prop_assert!(!reached.is_empty(), "{}", first_line);
        prop_assert!(!reached.contains(&required), "{}", first_line);
    }
    Ok(())
}

/// No message says that 66.7% is below the required 66.7%.
#[test]
fn first_lines_show_a_difference() {
    check(4000, &declared(), |declared| {
        for rule in Rule::ALL {
            tells_numbers_apart(declared.check().explain(rule).as_str())?;
        }
        Ok(())
    });
}

/// Not even where a requirement lies just beside what is reached.
#[test]
fn first_lines_show_a_small_difference() {
    let beside = (declared(), 4..=12i32, any::<bool>());
    check(4000, &beside, |(declared, digits, rounded)| {
        let check = declared.check();
        let arch = declared.archs[0];
        let Ok(answer) = check.on(arch) else {
            return Ok(());
        };
        let scale = 10f64.powi(digits);
        // Rounded up, as people copy 2/3, or a little more than is reached.
        let above = |value: f64| if rounded { (value * scale).ceil() / scale } else { value + 1.0 / scale };
        let mut requirement = Requirement::new()
            .min_occupancy(above(answer.fraction()).min(1.0))
            .min_lane_efficiency(above(lane_efficiency(declared.launch.threads())).min(1.0));
        if let (Some(grid), Some(gpu)) = (declared.launch.grid, declared.gpus.first())
            && let Ok(answer) = check.on(gpu.arch)
        {
            let blocks = grid.iter().map(|&axis| u64::from(axis)).product();
            let waves = Waves::new(blocks, answer.blocks_per_sm, gpu.sm_count).unwrap();
            requirement =
                requirement.min_waves(above(waves.exact())).max_tail_idle((waves.tail_idle() - 1.0 / scale).max(0.0));
        }
        let check = Check { requirement, ..check };
        for rule in Rule::ALL {
            tells_numbers_apart(check.explain(rule).as_str())?;
        }
        Ok(())
    });
}

// ---------------------------------------------------------------------------------------------------------------------
// Questions asked backwards, against trying every answer.

#[test]
fn register_budget_is_the_largest() {
    check(4000, &(plausible_sm(), kernel(), 1..=1024u32, 1..=34u32), |(sm, kernel, threads, blocks)| {
        let launch = Launch::new(threads);
        // Other resources are not looked at, nor are blocks the SM could not hold.
        let fits = |registers| {
            let kernel = kernel.registers(registers);
            allocation(&sm, &kernel, &launch).limits.registers.is_some_and(|limit| limit >= blocks)
        };
        let brute = (1..=sm.max_registers_per_thread).rfind(|&registers| fits(registers));
        prop_assert_eq!(register_budget(&sm, &kernel, &launch, blocks), brute);
        Ok(())
    });
}

#[test]
fn available_dynamic_smem_is_the_largest() {
    check(4000, &(plausible_sm(), kernel(), launch(), 1..=34u32), |(sm, kernel, launch, blocks)| {
        let launch = with!(launch, cluster: None, grid: None);
        let fits = |bytes| {
            occupancy(&sm, &kernel, &launch.dynamic_smem(bytes)).is_ok_and(|answer| answer.blocks_per_sm >= blocks)
        };
        match available_dynamic_smem(&sm, &kernel, &launch, blocks) {
            Some(bytes) => {
                prop_assert!(fits(bytes), "{} bytes do not fit", bytes);
                prop_assert!(!fits(bytes + 1), "{} bytes fit too", bytes + 1);
            }
            None => prop_assert!(!fits(0), "none fit"),
        }
        Ok(())
    });
}

#[test]
fn best_block_size_is_the_best() {
    check(1500, &(plausible_sm(), kernel(), launch(), wild()), |(sm, kernel, launch, per_thread)| {
        let smem = BlockSmem { per_block: launch.dynamic_smem, per_thread: per_thread % 200 };
        let best = best_block_size_for(&sm, &kernel, &launch, smem);
        let most = sm.max_threads_per_block.min(kernel.max_threads.unwrap_or(u32::MAX));
        // Whole warps, and the largest block there is; of equals the largest.
        let brute = (1..=most)
            .filter(|threads| threads.is_multiple_of(sm.warp_size.get()) || *threads == most)
            .filter_map(|threads| {
                let launch = with!(launch, block: [threads, 1, 1], cluster: None, grid: None);
                let answer = occupancy(&sm, &kernel, &launch.dynamic_smem(smem.of(threads))).ok()?;
                Some((threads * answer.blocks_per_sm, threads))
            })
            .max();
        prop_assert_eq!(best.map(|best| (best.threads * best.blocks_per_sm, best.threads)), brute);
        Ok(())
    });
}

/// Blocks per SM with one value changed; 0 if the launch cannot run.
fn keeps_and_gains(step: Step, least: u32, most: u32, blocks: impl Fn(u32) -> u32) -> Result<(), TestCaseError> {
    let now = blocks(step.now);
    prop_assert!(blocks(step.keeps) >= now, "{step:?}");
    prop_assert!(step.keeps >= most || blocks(step.keeps + 1) < now, "{step:?}");
    match (step.gains, step.gains_blocks) {
        (Some(gains), Some(there)) => {
            prop_assert!(gains < step.now && there > now && blocks(gains) == there, "{step:?}");
            prop_assert!(blocks(gains + 1) <= now, "{step:?}");
        }
        (None, None) => prop_assert!(step.now <= least || blocks(least) <= now, "{step:?}"),
        _ => prop_assert!(false, "{step:?}"),
    }
    Ok(())
}

#[test]
fn steps_keep_and_gain() {
    let ran = Cell::new(0);
    check(12_000, &(plausible_sm(), kernel(), launch()), |(sm, kernel, launch)| {
        let Some(steps) = steps(&sm, &kernel, &launch) else {
            prop_assert!(occupancy(&sm, &kernel, &launch).is_err());
            return Ok(());
        };
        ran.set(ran.get() + 1);
        let blocks =
            |kernel: &Kernel, launch: &Launch| occupancy(&sm, kernel, launch).map_or(0, |answer| answer.blocks_per_sm);
        prop_assert_eq!(steps.registers.map(|step| step.now), kernel.registers);
        if let Some(step) = steps.registers {
            keeps_and_gains(step, 0, sm.max_registers_per_thread, |registers| {
                blocks(&kernel.registers(registers), &launch)
            })?;
        }
        keeps_and_gains(steps.dynamic_smem, 0, u32::MAX, |bytes| blocks(&kernel, &launch.dynamic_smem(bytes)))?;
        keeps_and_gains(steps.barriers, 0, sm.barriers_per_block, |n| blocks(&kernel.barriers(n), &launch))?;
        keeps_and_gains(steps.threads, 1, sm.max_threads_per_block, |threads| {
            blocks(&kernel, &with!(launch, block: [threads, 1, 1]))
        })?;
        Ok(())
    });
    assert!(ran.get() >= 1000, "{} launches that run", ran.get());
}

#[test]
fn map_is_occupancy() {
    let points = vec((1..=1024u32, 1..=255u32), 200);
    check(300, &(plausible_sm(), kernel(), launch(), points), |(sm, kernel, launch, points)| {
        let Some(map) = OccupancyMap::new(&sm, &kernel, &launch) else {
            prop_assert!(sm.warp_size.get() != 32);
            return Ok(());
        };
        let mut filled: Box<[u8; 1024 * 255]> = vec![0; 1024 * 255].try_into().unwrap();
        map.fill(&mut filled);
        for (threads, registers) in points {
            let launch = with!(launch, block: [threads, 1, 1]);
            let kernel = with!(kernel, registers: Some(registers), bounds: None);
            let blocks = occupancy(&sm, &kernel, &launch).map_or(0, |answer| answer.blocks_per_sm);
            prop_assert_eq!(
                map.blocks_per_sm(threads, registers),
                Some(blocks.min(255)),
                "{} × {}",
                threads,
                registers
            );
            let at = (threads as usize - 1) * 255 + registers as usize - 1;
            prop_assert_eq!(u32::from(filled[at]), blocks.min(255));
        }
        Ok(())
    });
}

/// 1024 threads in 64 warps of 16 do not fit a map of 32 warps: there is none.
#[test]
fn map_of_small_warps() {
    let sm = with!(SmLimits::TEXTBOOK, warp_size: NonZeroU32::new(16).unwrap());
    assert_eq!(OccupancyMap::new(&sm, &Kernel::new(), &Launch::new(1)), None);
}

/// A longest axis within a warp: 50 threads run, 51 do not.
#[test]
fn map_of_a_short_axis() {
    let sm = with!(SmLimits::TEXTBOOK, max_block_axes: [50, 50, 50]);
    let map = OccupancyMap::new(&sm, &Kernel::new(), &Launch::new(1)).unwrap();
    assert_eq!((map.blocks_per_sm(50, 1), map.blocks_per_sm(51, 1)), (Some(32), Some(0)));
}

// ---------------------------------------------------------------------------------------------------------------------
// Nothing panics, whatever the numbers.

#[test]
fn checks_never_panic() {
    check(8000, &wild_declared(), |declared| {
        let check = declared.check();
        for rule in Rule::ALL {
            let verdict = check.verdict(rule);
            let text = check.explain(rule);
            prop_assert_eq!(verdict.passes(), text.is_empty());
            for change in check.advice(rule).changes().into_iter().flatten() {
                prop_assert!(check.with(change).verdict(rule).passes(), "{change:?}");
            }
        }
        for arch in &declared.archs {
            let _ = steps(arch.limits(), &declared.kernel, &declared.launch);
        }
        Ok(())
    });
}

#[test]
fn requirements_never_panic() {
    check(4000, &(wild_sm(), wild_requirement(), wild()), |(sm, requirement, warps)| {
        prop_assert!(requirement.blocks_per_sm(&sm, warps) > 0);
        Ok(())
    });
}

#[test]
fn the_model_never_panics() {
    let all = (wild_sm(), wild_kernel(), wild_launch(), wild(), wild());
    check(20_000, &all, |(sm, kernel, launch, a, b)| {
        let given = allocation(&sm, &kernel, &launch);
        let lowest = given.limits.lowest();
        match occupancy(&sm, &kernel, &launch) {
            Ok(answer) => {
                prop_assert!(lowest > 0 && answer.blocks_per_sm == lowest);
                prop_assert!(answer.warps_per_sm() <= sm.max_warps_per_sm);
                prop_assert!(answer.fraction() > 0.0 && answer.fraction() <= 1.0);
                prop_assert!(answer.limiters().count() > 0);
            }
            Err(refusal) => prop_assert!(!refusal.to_string().is_empty()),
        }
        let _ = register_budget(&sm, &kernel, &launch, a);
        let _ = available_dynamic_smem(&sm, &kernel, &launch, a);
        let _ = steps(&sm, &kernel, &launch);
        let _ = (sm.oversized_smem(), sm.max_threads_per_sm(), sm.smem_for(launch.carveout));
        let _ = (lane_efficiency(a), cluster_upper_bound(a, b, launch.block[0]));
        let hiding = LatencyHiding { stall_cycles: a, schedulers: b, issue_interval: launch.block[0] };
        prop_assert!((0.0..=1.0).contains(&hiding.share_hidden(launch.block[1])));
        let _ = hiding.warps_needed();
        let paths = [Path { lanes: a, length: b }, Path { lanes: b, length: a }];
        prop_assert!((0.0..=1.0).contains(&divergence_lane_use(&paths)));
        if let Some(waves) = Waves::new(u64::from(a) * u64::from(b), launch.block[0], launch.block[1]) {
            let _ = (waves.count(), waves.full(), waves.exact(), waves.tail_blocks(), waves.tail_sms_packed());
            prop_assert!(waves.tail_sms_packed() <= waves.sm_count() && waves.tail_sms_spread() <= waves.sm_count());
            prop_assert!((0.0..=1.0).contains(&waves.tail_idle()) && waves.gpu_utilisation() <= 1.0);
        }
        Ok(())
    });
}

/// Searches try many blocks: the SMs have few threads, in warps of any size.
#[test]
fn searches_never_panic() {
    let all = (wild_sm(), wild_kernel(), wild_launch(), wild(), 0..5000u32);
    check(1500, &all, |(sm, kernel, launch, a, threads)| {
        let small = with!(sm, max_threads_per_block: threads);
        let _ = best_block_size(&small, &kernel, &launch);
        let _ = best_block_size_for(&small, &kernel, &launch, BlockSmem { per_block: a, per_thread: a });
        let _ = best_block_size_with(&small, &kernel, &launch, |threads| a.wrapping_mul(threads));
        // Large warps, so that few blocks are tried.
        let large = with!(sm, warp_size: sm.warp_size.max(NonZeroU32::new(1 << 20).unwrap()));
        let _ = best_block_size(&large, &kernel, &launch);
        Ok(())
    });
}

/// 32 threads × 2²⁷ blocks are more than a `u32`.
#[test]
fn search_on_an_endless_sm() {
    let sm = with!(SmLimits::TEXTBOOK, max_warps_per_sm: u32::MAX,
        max_blocks_per_sm: 1 << 27,
        max_threads_per_block: 32);
    let best = best_block_size(&sm, &Kernel::new(), &Launch::new(1)).unwrap();
    assert_eq!((best.threads, best.blocks_per_sm), (32, 1 << 27));
}

/// A number of warps that cannot be rounded up to whole sub-partitions.
#[test]
fn refusal_of_an_endless_block() {
    let sm = with!(SmLimits::TEXTBOOK, warp_size: NonZeroU32::MIN,
        max_warps_per_sm: u32::MAX,
        max_block_axes: [u32::MAX; 3],
        max_threads_per_block: u32::MAX,
        launch_sub_partitions: NonZeroU32::new(2).unwrap(),
        registers_per_block: 1);
    let launch = Launch::block([u32::MAX, 1, 1]);
    assert!(occupancy(&sm, &Kernel::new(), &launch).is_ok());
    assert!(occupancy(&sm, &Kernel::new().registers(1), &launch).is_err());
}

/// Lanes of more threads than can be counted.
#[test]
fn lanes_of_an_endless_block() {
    let check = Check {
        archs: &[Arch::SM_80],
        launch: Launch::block([u32::MAX, 1, 1]),
        requirement: Requirement::new().min_lane_efficiency(1.0),
        ..Check::new()
    };
    let text = check.explain(Rule::MinLaneEfficiency);
    assert_eq!(text.is_empty(), check.verdict(Rule::MinLaneEfficiency).passes());
}

/// Waves no grid has.
#[test]
fn endless_waves() {
    let gpu = Gpu::find("Tesla T4").unwrap();
    for waves in [1e19, 1e300, f64::MAX] {
        let requirement = Requirement::new().min_waves(waves);
        let launch = Launch::new(32).grid([1, 1, 1]);
        let check = Check { archs: &[gpu.arch], gpus: &[gpu], launch, requirement, ..Check::new() };
        assert!(!check.verdict(Rule::Launch).passes(), "more waves than can be required");
        assert!(check.advice(Rule::Launch).is_empty() && !check.explain(Rule::Launch).is_empty());
    }
}

#[test]
fn maps_never_panic() {
    check(200, &(wild_sm(), wild_kernel(), wild_launch(), wild(), wild()), |(sm, kernel, launch, a, b)| {
        let map = OccupancyMap::new(&sm, &kernel, &launch);
        let _ = map.map(|map| map.blocks_per_sm(a, b));
        Ok(())
    });
}

#[test]
fn texts_never_panic() {
    check(4000, &(wild_f64(), any::<u32>(), any::<u64>(), ".*", axes()), |(value, decimals, number, words, axes)| {
        let mut text = <Text>::new();
        for _ in 0..200 {
            text.str(&words).decimal(value, decimals).percent(value, decimals % 12).num(number).axes(axes);
        }
        prop_assert!(text.as_str().len() <= <Text>::CAPACITY && !text.is_empty());
        Ok(())
    });
}

#[test]
fn names_never_panic() {
    let names = prop_oneof![
        ".{0,200}",
        "(sm_|compute_|SM|)[0-9]{0,12}[a-zé]{0,2}",
        "(NVIDIA |GeForce |Tesla |Quadro |)(RTX|A|H|T|日)[ 0-9]{0,70}( Laptop GPU| Ti| é|)",
    ];
    check(3000, &(names, ".{0,60}"), |(name, other)| {
        match Target::parse(&name) {
            Ok(target) => prop_assert!(name.contains(&target.arch().major().to_string())),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        if let Err(error) = Gpu::find(&name) {
            prop_assert!(!error.to_string().is_empty());
        }
        let _ = did_you_mean(&name, &[&other, "arch"]);
        Ok(())
    });
}

//! Kernels that were compiled for each capability, against the same kernels declared one by one.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod random;

use occ_core::{Arch, Ceilings, Change, Check, Compiled, Kernel, Launch, LaunchBounds, Requirement, Rule};
use occ_tests::with;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::subsequence;
use random::check;

fn kernel() -> impl Strategy<Value = Kernel> {
    (1..=255u32, prop_oneof![0..=8192u32, 0..=49_152u32], 0..=16u32, option::weighted(0.2, 32..=1024u32)).prop_map(
        |(registers, static_smem, barriers, max_threads)| {
            with!(Kernel::new(), registers: Some(registers),
            static_smem,
            barriers,
            max_threads)
        },
    )
}

/// A kernel for a capability, and the minimum of blocks per SM it was compiled for.
type ForOne = (Arch, Kernel, Option<u32>);

/// Kernels for several capabilities, a launch, and what it must reach.
fn compiled() -> impl Strategy<Value = (Vec<ForOne>, Launch, Requirement)> {
    (
        subsequence(Arch::ALL.to_vec(), 1..=5),
        prop::collection::vec((kernel(), option::weighted(0.3, 1..=8u32)), 5),
        (1..=32u32, prop_oneof![Just(0u32), 0..60_000u32]),
        (option::of(0.0..=1.0), option::of(1..=8u32)),
    )
        .prop_map(|(archs, kernels, (warps, dynamic_smem), (min_occupancy, min_blocks_per_sm))| {
            let kernels = archs.into_iter().zip(kernels).map(|(arch, (kernel, minimum))| (arch, kernel, minimum));
            let requirement = Requirement { min_occupancy, min_blocks_per_sm, ..Requirement::new() };
            (kernels.collect(), Launch::new(warps * 32).dynamic_smem(dynamic_smem), requirement)
        })
}

fn read(kernels: &[ForOne]) -> Vec<Compiled<'_>> {
    let read = |(arch, kernel, min_blocks_per_sm): &ForOne| Compiled {
        min_blocks_per_sm: *min_blocks_per_sm,
        ..Compiled::new(*arch, *kernel, "a file")
    };
    kernels.iter().map(read).collect()
}

/// A launch of compiled kernels passes where it passes with each of them declared for its capability alone.
#[test]
fn each_capability_has_its_own_kernel() {
    check(4000, &compiled(), |(kernels, launch, requirement)| {
        let compiled = read(&kernels);
        let archs: Vec<Arch> = kernels.iter().map(|(arch, ..)| *arch).collect();
        let together = Check { archs: &archs, compiled: &compiled, launch, requirement, ..Check::new() };
        let mut all_pass = true;
        for (arch, kernel, _) in &kernels {
            let alone = Check { archs: &[*arch], kernel: *kernel, launch, requirement, ..Check::new() };
            prop_assert_eq!(together.occupancy_on(*arch), alone.occupancy_on(*arch));
            all_pass &= alone.verdict(Rule::Launch).passes();
        }
        prop_assert_eq!(together.verdict(Rule::Launch).passes(), all_pass);
        prop_assert_eq!(together.explain(Rule::Launch).as_str().is_empty(), all_pass);
        Ok(())
    });
}

/// What is advised holds for the kernels that it is about, declared one by one: none more than advised.
#[test]
fn advice_holds_for_every_compiled_kernel() {
    check(1500, &compiled(), |(kernels, launch, requirement)| {
        let compiled = read(&kernels);
        let archs: Vec<Arch> = kernels.iter().map(|(arch, ..)| *arch).collect();
        let together = Check { archs: &archs, compiled: &compiled, launch, requirement, ..Check::new() };
        for rule in [Rule::Launch, Rule::CompiledMinBlocks] {
            for change in together.advice(rule).changes().into_iter().flatten() {
                for (arch, kernel, minimum) in &kernels {
                    let (mut kernel, mut launch, mut requirement) = (*kernel, launch, requirement);
                    match change {
                        Change::Registers(most) => kernel.registers = kernel.registers.map(|now| now.min(most)),
                        Change::StaticSmem(most) => kernel.static_smem = kernel.static_smem.min(most),
                        Change::Barriers(most) => kernel.barriers = kernel.barriers.min(most),
                        Change::DynamicSmem(bytes) => launch.dynamic_smem = bytes,
                        Change::Block(axes) => launch.block = axes,
                        Change::MinOccupancy(fraction) => requirement.min_occupancy = Some(fraction),
                        other => return Err(TestCaseError::fail(format!("{other:?} is advised"))),
                    }
                    let alone = Check { archs: &[*arch], kernel, launch, requirement, ..Check::new() };
                    prop_assert!(alone.verdict(Rule::Launch).passes(), "{:?} on {}", change, arch);
                    if rule == Rule::CompiledMinBlocks {
                        let blocks = alone.occupancy_on(*arch).unwrap().blocks_per_sm;
                        prop_assert!(blocks >= minimum.unwrap_or(0), "{:?} on {}", change, arch);
                    }
                }
            }
        }
        Ok(())
    });
}

/// A launch that is otherwise right, but has fewer blocks per SM than the kernel was compiled for, is reported.
#[test]
fn compiled_minimums_are_met_or_reported() {
    check(4000, &compiled(), |(kernels, launch, requirement)| {
        let compiled = read(&kernels);
        let archs: Vec<Arch> = kernels.iter().map(|(arch, ..)| *arch).collect();
        let check = Check { archs: &archs, compiled: &compiled, launch, requirement, ..Check::new() };
        let is_missed = kernels.iter().any(|(arch, kernel, minimum)| {
            let alone = Check { archs: &[*arch], kernel: *kernel, launch, ..Check::new() };
            alone.occupancy_on(*arch).is_ok_and(|answer| answer.blocks_per_sm < minimum.unwrap_or(0))
        });
        let expected = check.verdict(Rule::Launch).passes() && is_missed;
        prop_assert_eq!(!check.verdict(Rule::CompiledMinBlocks).passes(), expected);
        Ok(())
    });
}

#[test]
fn ceilings() {
    let compiled = [
        Compiled { stack: Some(0), spills: Some(0), ..Compiled::new(Arch::SM_80, Kernel::new().registers(64), "a") },
        Compiled { stack: Some(8), spills: Some(4), ..Compiled::new(Arch::SM_90, Kernel::new().registers(65), "b") },
    ];
    let within = |registers, stack, spills| Check {
        archs: &[Arch::SM_80, Arch::SM_90],
        compiled: &compiled,
        ceilings: Ceilings { registers, max_stack: stack, max_spills: spills },
        launch: Launch::new(256),
        ..Check::new()
    };
    assert!(within(Some(65), Some(8), Some(4)).passes());
    assert!(within(None, None, None).passes());
    assert_eq!(within(Some(64), Some(8), Some(4)).first_broken_rule(), Some(Rule::Registers));
    assert_eq!(within(Some(65), Some(7), Some(4)).first_broken_rule(), Some(Rule::MaxStack));
    assert_eq!(within(Some(65), Some(8), Some(3)).first_broken_rule(), Some(Rule::MaxSpills));
    // One capability of two is asked for: the other's kernel does not count.
    let one = Check { archs: &[Arch::SM_80], ..within(Some(64), Some(0), Some(0)) };
    assert!(one.passes());
    // What is not known may be more.
    let unknown = [Compiled::new(Arch::SM_80, Kernel::new().registers(64), "a log")];
    let spills =
        Check { compiled: &unknown, ceilings: Ceilings { max_spills: Some(u32::MAX), ..Ceilings::new() }, ..one };
    assert_eq!(
        spills.explain(Rule::MaxSpills).as_str(),
        "a log: spill size is unknown; the declared maximum is 4294967295"
    );
}

/// What a kernel says of its own launch holds for it: the block it needs, its cluster, the most blocks of a cluster.
#[test]
fn bounds_of_the_kernel() {
    let passes = |bounds: LaunchBounds, launch: Launch| {
        let kernel = Kernel::new().registers(32).bounds(bounds);
        Check { archs: &[Arch::SM_90], kernel, launch, ..Check::new() }.passes()
    };
    let block = LaunchBounds::new().required_block([8, 4, 2]);
    assert!(passes(block, Launch::block([8, 4, 2])));
    assert!(!passes(block, Launch::block([64, 1, 1])));
    let cluster = LaunchBounds::new().required_cluster([2, 1, 1]);
    assert!(passes(cluster, Launch::new(64)));
    assert!(passes(cluster, Launch::new(64).cluster([2, 1, 1])));
    assert!(!passes(cluster, Launch::new(64).cluster([1, 2, 1])));
    assert!(!passes(cluster, Launch::new(64).grid([33, 1, 1])));
    let counts_clusters = cluster.grid_counts_clusters(true);
    assert!(passes(counts_clusters, Launch::new(64).grid([33, 1, 1])));
    let most = LaunchBounds::new().max_cluster_blocks(4);
    assert!(passes(most, Launch::new(64).cluster([2, 2, 1])));
    assert!(!passes(most, Launch::new(64).cluster([4, 2, 1])));
}

//! Nothing panics, whatever the numbers.

use crate::random::check;
use crate::wild::{axes, wild, wild_declared, wild_f64, wild_kernel, wild_launch, wild_requirement, wild_sm};
use occ_core::internal::{Text, did_you_mean};
use occ_core::{
    Arch, BlockSmem, Check, Gpu, Kernel, LatencyHiding, Launch, OccupancyMap, Path, Requirement, Rule, SmLimits,
    Target, Waves, allocation, available_dynamic_smem, best_block_size, best_block_size_for, best_block_size_with,
    cluster_upper_bound, divergence_lane_use, lane_efficiency, occupancy, register_budget, steps,
};
use occ_tests::with;
use proptest::prelude::*;
use std::num::NonZeroU32;

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

//! Inverse questions, such as the register budget, against trying every answer.

use crate::launches::{kernel, launch, plausible_sm};
use crate::random::check;
use crate::wild::wild;
use occ_core::{
    BlockSmem, Kernel, Launch, OccupancyMap, SmLimits, Step, allocation, available_dynamic_smem, best_block_size_for,
    occupancy, register_budget, steps,
};
use occ_tests::with;
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::Cell;
use std::num::NonZeroU32;

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

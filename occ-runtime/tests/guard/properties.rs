//! The guard's verdict on what NVIDIA's header was asked: its blocks × warps ÷ warps of the SM against what is required,
//! and nothing of the model in what is expected.

use crate::golden::{Golden, Question};
use crate::logged::logged;
use crate::recorded::{DeviceDouble, FunctionDouble};
use crate::*;
use occ_runtime::{Carveout, OnMismatch};

/// A stream of numbers that is the same each time (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
}

/// A product of each capability that the header was asked about.
pub(crate) fn product([major, minor]: [u32; 2]) -> Option<DeviceDouble> {
    let capability = format!("{major}.{minor}");
    let gpus = include_str!("../../../tests/data/gpus.csv").lines();
    let mut gpus = gpus
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|gpu| gpu.len() > 3 && gpu[3].parse::<i32>().is_ok());
    gpus.find(|gpu| gpu[2] == capability).map(|gpu| DeviceDouble::named(gpu[0]))
}

/// Something that can be required, and whether so many blocks of so many warps reach it.
fn requirement(random: &mut Random, blocks: u32, warps: u32, most: u32) -> (Requirement, bool) {
    let reached = f64::from(blocks * warps) / f64::from(most);
    match random.below(6) {
        0 => {
            let required = (random.next() % 1001) as f64 / 1000.0;
            (Requirement::new().min_occupancy(required), reached >= required)
        }
        // What is reached exactly, and the next that is not.
        1 => (Requirement::new().min_occupancy(reached.min(1.0)), true),
        2 if reached < 1.0 => (Requirement::new().min_occupancy(reached.next_up()), false),
        3 => {
            let required = 1 + random.below(33) as u32;
            (Requirement::new().min_blocks_per_sm(required), blocks >= required)
        }
        4 => {
            let required = 1 + random.below(65) as u32;
            (Requirement::new().min_warps_per_sm(required), blocks * warps >= required)
        }
        5 => {
            let (occupancy, required) = (random.below(101) as f64 / 100.0, 1 + random.below(17) as u32);
            let both = Requirement::new().min_occupancy(occupancy).min_blocks_per_sm(required);
            (both, reached >= occupancy && blocks >= required)
        }
        _ => (Requirement::new(), true),
    }
}

#[test]
fn verdicts_follow_the_headers_answers() {
    const ARCHS: [&[Arch]; 3] = [SM_80, SM_86, SM_90];
    let mut random = Random(0x0cc0_9a4c_e5ee_d001);
    let (mut compared, mut refused) = (0, 0);
    for golden in Golden::all() {
        let capability = [golden.properties[0], golden.properties[1]];
        let Some(device) = product(capability) else {
            continue;
        };
        let most = golden.properties[3] / golden.properties[6];
        let questions = golden.questions();
        let guard = Guard::new(Recorded::new([device]));
        for number in 0..times(2_000) {
            let (Question { threads, registers, smem, is_opted_in, carveout }, blocks) =
                questions[random.below(questions.len())];
            // The guard makes the opt-in wherever it is needed; a block is empty nowhere.
            if !is_opted_in || threads == 0 {
                continue;
            }
            let function = FunctionDouble::new(registers.cast_signed());
            // Static memory of any part of it, as long as 48 KiB take it.
            let static_smem = if random.below(2) == 0 { 0 } else { smem.min(random.below(49_153) as u32) };
            // What a device of later years could not raise is no question of this one.
            let function = FunctionDouble { static_smem, ..function.static_smem(static_smem) };
            let function = if carveout == 101 { function } else { function.with(9, carveout.cast_signed()) };
            let k = guard.driver().load(0, 0x1000 + number % 16 * 0x100, function);
            let (requirement, is_met) = requirement(&mut random, blocks, threads.div_ceil(32), most);
            let kernel = match random.below(3) {
                0 => Kernel::new().static_smem(static_smem),
                1 => Kernel::new().registers(1 + random.below(255) as u32).static_smem(random.below(49_153) as u32),
                _ => Kernel::new().registers(registers.max(1)).static_smem(static_smem),
            };
            let launch = Launch::new(threads).dynamic_smem(smem - static_smem);
            let launch = if carveout == 101 { launch } else { launch.carveout(Carveout::Percent(carveout as u8)) };
            let spec = occ_runtime::__private::spec(
                "k",
                ARCHS[random.below(3)],
                &[],
                kernel,
                random.below(2) == 0,
                launch,
                requirement,
                OnMismatch::Error,
            );
            let (result, _) = logged(|| admit(&guard, &spec, k));
            let passes = blocks > 0 && is_met;
            let about = || {
                format!("{threads} threads, {registers} registers, {smem} bytes, carve-out {carveout}: {blocks} blocks")
            };
            assert_eq!(result.is_ok(), passes, "{capability:?}, {}, {requirement:?}: {result:?}", about());
            // Of everything the header was asked, the first findings are of its answer, whatever was declared.
            if let Err(error) = result {
                use occ_runtime::Mismatch as M;
                let reason = error.mismatch().unwrap();
                let is_of_it = match reason {
                    M::Occupancy { blocks_per_sm, .. } => *blocks_per_sm == blocks && blocks > 0,
                    M::CannotRun { .. } | M::NoBlock => blocks == 0,
                    _ => false,
                };
                assert!(is_of_it, "{}: {reason:?}", about());
                refused += 1;
            }
            compared += 1;
        }
    }
    assert!(cfg!(miri) || (compared > 10_000 && refused > 3_000), "{compared} compared, {refused} refused");
}

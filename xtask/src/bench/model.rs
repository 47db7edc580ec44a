//! The model against NVIDIA's header at `-O3`: one occupancy, and the whole map of a capability.

use super::measure::{check_speedup, nanoseconds};
use crate::Result;
use crate::header::{Header, Mode};
use crate::random::Random;
use crate::vector::{Case, Device, NONE};
use occ_core::{Kernel, Launch, OccupancyMap, SmLimits, occupancy};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Launches of one round.
const LAUNCHES: usize = 1 << 14;

/// Rounds of each side.
const ROUNDS: usize = 61;

/// Points of a map.
const POINTS: usize = 1024 * 255;

const SEED: u64 = 7;

/// `cargo xtask bench model`.
pub(super) fn run() -> Result<()> {
    let devices = Device::all();
    // Both are measured, whatever the first says.
    let evaluations = evaluations(&devices);
    maps(&devices)?;
    evaluations
}

/// One evaluation, the device chosen at run time: the same random launches from memory on both sides.
fn evaluations(devices: &[Device]) -> Result<()> {
    let mut random = Random::new(SEED);
    // Where the model departs from the header on purpose, there is nothing to compare.
    let cases: Vec<Case> = std::iter::repeat_with(|| random.case(devices))
        .filter(|case| case.registers != 256 && case.barriers <= 16 && case.dynamic_smem < 1 << 30)
        .map(|case| Case { max_threads: NONE, ..case })
        .take(LAUNCHES)
        .collect();
    let limits: Vec<SmLimits> = devices.iter().map(|device| device.limits).collect();
    let launches: Vec<(u32, Kernel, Launch)> =
        cases.iter().map(|case| (case.device, case.kernel(), case.launch())).collect();
    let mut header = Header::start(Mode::Evaluations, devices)?;
    header.send(&cases)?;
    let mut pairs = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let our_sum = sum_of_answers(black_box(&limits), black_box(&launches));
        let ours = start.elapsed();
        header.send_word(1)?;
        pairs.push((ours, Duration::from_nanos(header.long()?)));
        let their_sum = header.long()?;
        if our_sum != their_sum {
            return Err("the answers of the two sides differ: run `cargo xtask oracle`".into());
        }
    }
    header.finish()?;
    let ours = nanoseconds(pairs.iter().map(|pair| pair.0), LAUNCHES);
    let theirs = nanoseconds(pairs.iter().map(|pair| pair.1), LAUNCHES);
    println!("one occupancy: {ours:.1} ns, the header {theirs:.1} ns");
    check_speedup("one occupancy", &pairs, 1.0)
}

/// Everything an answer says, as one number; `oracle/header.cpp` makes the same of the header's.
fn sum_of_answers(limits: &[SmLimits], launches: &[(u32, Kernel, Launch)]) -> u64 {
    const UNLIMITED: u32 = i32::MAX as u32;
    let mut sum = 0_u64;
    for (device, kernel, launch) in launches {
        let Ok(answer) = occupancy(&limits[*device as usize], kernel, launch) else {
            sum += 1;
            continue;
        };
        sum += u64::from(answer.blocks_per_sm) * 3;
        sum += u64::from(answer.limits.warps) * 5;
        sum += u64::from(answer.limits.registers.unwrap_or(UNLIMITED)) * 7;
        sum += u64::from(answer.limits.shared_memory.unwrap_or(UNLIMITED)) * 11;
        sum += u64::from(answer.limits.barriers.unwrap_or(UNLIMITED)) * 13;
        sum += u64::from(answer.limits.virtual_resources.unwrap_or(UNLIMITED)) * 17;
        sum += u64::from(answer.registers_per_block) * 19;
        sum += u64::from(answer.smem_per_block) * 23;
    }
    sum
}

/// The whole map, written out point by point, of a kernel with and without shared memory on every device.
fn maps(devices: &[Device]) -> Result<()> {
    let mut header = Header::start(Mode::Maps, devices)?;
    let mut pairs = Vec::new();
    let mut our_points: Box<[u8; POINTS]> =
        vec![0; POINTS].into_boxed_slice().try_into().map_err(|_| "a map has another size")?;
    let mut their_points = vec![0; POINTS];
    for (at, device) in (0..).zip(devices) {
        for dynamic_smem in [0, 20_000] {
            let case = plain(at, dynamic_smem);
            let (kernel, launch) = (case.kernel(), case.launch());
            let start = Instant::now();
            OccupancyMap::new(black_box(&device.limits), black_box(&kernel), black_box(&launch))
                .ok_or("a device's warps are not of 32 threads")?
                .fill(&mut our_points);
            let ours = start.elapsed();
            header.send(&[case])?;
            pairs.push((ours, Duration::from_nanos(header.long()?)));
            header.read(&mut their_points)?;
            if our_points.as_slice() != their_points {
                return Err(format!("the two maps of {} differ", device.name).into());
            }
        }
    }
    header.finish()?;
    let ours = nanoseconds(pairs.iter().map(|pair| pair.0), 1000);
    let theirs = nanoseconds(pairs.iter().map(|pair| pair.1), 1000);
    println!("a whole map: {ours:.1} µs, the header {theirs:.1} µs; {} pairs of maps are equal", pairs.len());
    check_speedup("a whole map", &pairs, 20.0)
}

fn plain(device: u32, dynamic_smem: u32) -> Case {
    Case {
        device,
        threads: 1,
        registers: 1,
        static_smem: 0,
        dynamic_smem,
        optin: 1,
        carveout: 101,
        barriers: 1,
        virtual_resources: 0,
        l1_caching: 0,
        max_threads: NONE,
        smem_per_block: 0,
        smem_per_thread: 0,
        blocks: 1,
    }
}

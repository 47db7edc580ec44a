//! Compares the model with `cuda_occupancy.h` and `ptxas`, which are asked the same questions.

use crate::header::{Header, Mode};
use crate::random::Random;
use crate::vector::{Answer, Departures, Device};
use crate::{Options, Result, counted};
use crate::{golden, ptxas};
use occ_core::{Arch, SmLimits, SmemSplit};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Cases in one batch, small enough to stay in the cache.
const BATCH: u64 = 1 << 12;

/// Maximum number of differences printed in full.
const SHOWN: u64 = 5;

/// Runs `cargo xtask oracle`: the table, `ptxas`, the golden vectors, random launches.
pub(crate) fn run(options: &[String]) -> Result<()> {
    let options = Options::parse(options, &["--seed", "--cases"])?;
    let seed = match options.number("--seed")? {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_micros() as u64,
    };
    let cases = options.number("--cases")?.unwrap_or(1_000_000);
    let devices = Device::all();
    let table = table(&devices)?;
    let ptxas = ptxas::probe()?;
    let golden = golden::check()?;
    let launches = launches(&devices, seed, cases)?;
    match table + ptxas + golden + launches {
        0 => Ok(()),
        differences => Err(format!("{} from NVIDIA's own answers", counted(differences, "difference")).into()),
    }
}

/// Compares our table with the header's own numbers, and returns the number of differences.
fn table(devices: &[Device]) -> Result<u64> {
    let mut header = Header::start(Mode::Table, devices)?;
    let mut differences = 0;
    for device in devices {
        let sm = &device.limits;
        let theirs: [u32; 9] = header.words()?;
        let mut sizes = Vec::new();
        for _ in 0..theirs[8] {
            let [size] = header.words()?;
            sizes.push(size);
        }
        // The header says 256 registers from 7.0 on, the guide 255.
        let registers = if device.arch >= Arch::SM_70 { 256 } else { 255 };
        let ours = [
            sm.smem_allocation_unit.get(),
            if sm.max_registers_per_thread == 255 { registers } else { 0 },
            sm.register_allocation_unit.get(),
            sm.sub_partitions.get(),
            sm.max_blocks_per_sm,
            sm.barriers_per_sm.unwrap_or(0),
            sm.virtual_resources_per_sm.unwrap_or(0),
            u32::from(sm.partitioned_l1),
            our_sizes(sm).len() as u32,
        ];
        if ours != theirs || our_sizes(sm) != sizes {
            differences += 1;
            println!("{}: the table says {ours:?} {:?}", device.name, our_sizes(sm));
            println!("{}: the header says {theirs:?} {sizes:?}", device.name);
        }
    }
    header.finish()?;
    println!("table against cuda_occupancy.h: {} devices, {}", devices.len(), counted(differences, "difference"));
    Ok(differences)
}

fn our_sizes(sm: &SmLimits) -> &'static [u32] {
    match sm.smem_split {
        SmemSplit::Carveouts(sizes) => sizes,
        _ => &[],
    }
}

/// Compares the model's answers to `cases` random launches with the header's, and returns the number of differences.
fn launches(devices: &[Device], seed: u64, cases: u64) -> Result<u64> {
    println!("seed {seed}");
    let start = Instant::now();
    let mut header = Header::start(Mode::Answers, devices)?;
    let mut random = Random::new(seed);
    let mut departures = Departures::default();
    let (mut run, mut differences) = (0, 0);
    let mut left = cases;
    while left > 0 {
        let batch: Vec<_> = (0..left.min(BATCH)).map(|_| random.case(devices)).collect();
        left -= batch.len() as u64;
        for (case, theirs) in batch.iter().zip(header.answers(&batch)?) {
            let device = &devices[case.device as usize];
            let ours = Answer::of_model(&device.limits, case);
            let expected = departures.expected(&device.limits, case, &theirs);
            run += u64::from(ours.active > 0);
            if ours == expected {
                continue;
            }
            differences += 1;
            if differences <= SHOWN {
                println!("{}: {case:#?}", device.name);
                print!("{}", Answer::table(&ours, &expected, &theirs));
            }
        }
    }
    header.finish()?;
    println!("{run} of the launches run; {:.1} s", start.elapsed().as_secs_f64());
    println!("documented departures used: {departures:?}");
    println!("{cases} launches on {} capabilities: {}", Arch::COUNT, counted(differences, "difference"));
    Ok(differences)
}

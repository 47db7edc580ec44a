//! Golden vectors: answers of NVIDIA's header in files, so that the test needs only Rust.

use crate::header::{Header, Mode};
use crate::nvidia::HEADER_VERSION;
use crate::random::Random;
use crate::vector::{Answer, Case, Device, NONE};
use crate::{Result, counted};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Random vectors for each device, besides the edges.
const RANDOM: usize = 640;

/// Seed of each device's random vectors, so that they do not depend on other devices.
const SEED: u64 = 1;

/// Runs `cargo xtask golden`: one file for each device. Every answer is the header's, none is the model's.
pub(crate) fn run() -> Result<()> {
    fs::create_dir_all(directory())?;
    let files = files()?;
    for file in &files {
        fs::write(&file.path, &file.text)?;
    }
    println!("{} of {} devices written", counted(vectors(&files), "golden vector"), files.len());
    Ok(())
}

/// Returns how many committed files differ from what the header answers.
pub(crate) fn check() -> Result<u64> {
    let files = files()?;
    let mut differences = 0;
    for file in &files {
        if fs::read_to_string(&file.path).ok().as_ref() != Some(&file.text) {
            differences += 1;
            println!("{} is not what `cargo xtask golden` writes", file.path.display());
        }
    }
    println!("golden files: {}, {}", counted(vectors(&files), "vector"), counted(differences, "difference"));
    Ok(differences)
}

struct File {
    path: PathBuf,
    text: String,
    vectors: usize,
}

fn vectors(files: &[File]) -> u64 {
    files.iter().map(|file| file.vectors as u64).sum()
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/golden")
}

fn files() -> Result<Vec<File>> {
    let devices = Device::all();
    let mut header = Header::start(Mode::Answers, &devices)?;
    let mut files = Vec::new();
    for (at, device) in (0..).zip(&devices) {
        let mut random = Random::new(SEED);
        let mut cases = edges(at, device);
        cases.extend((0..RANDOM).map(|_| random.case_on(at, &device.limits)));
        let answers = header.answers(&cases)?;
        files.push(File {
            path: directory().join(format!("{}.csv", device.name)),
            text: text(device, &cases, &answers)?,
            vectors: cases.len(),
        });
    }
    header.finish()?;
    Ok(files)
}

/// Returns launches at the edges of each limit, one resource at a time.
fn edges(at: u32, device: &Device) -> Vec<Case> {
    let sm = &device.limits;
    let plain = Case {
        device: at,
        threads: 256,
        registers: 32,
        static_smem: 0,
        dynamic_smem: 0,
        optin: 1,
        carveout: 101,
        barriers: 1,
        virtual_resources: 0,
        l1_caching: 0,
        max_threads: NONE,
        smem_per_block: 0,
        smem_per_thread: 0,
        blocks: 1,
    };
    let mut cases = Vec::new();
    for threads in [1, 32, 33, 64, 96, 128, 192, 224, 256, 257, 384, 512, 513, 736, 768, 992, 1024, 1025] {
        for registers in [NONE, 0, 1, 24, 32, 40, 64, 65, 80, 96, 128, 129, 168, 255, 256] {
            cases.push(Case { threads, registers, l1_caching: threads / 32 % 2, ..plain });
        }
    }
    let most = sm.smem_per_block_optin;
    for smem in [1, sm.smem_per_sm / 8, sm.smem_per_sm / 3, sm.smem_per_block, sm.smem_per_block + 1, most, most + 1] {
        for (optin, carveout) in [(0, 101), (1, 101), (1, 103), (1, 104), (1, 102), (1, 0), (1, 1), (1, 50), (1, 100)] {
            let blocks = 1 + carveout % 2;
            cases.push(Case { dynamic_smem: smem, optin, carveout, blocks, smem_per_thread: smem / 512, ..plain });
            cases.push(Case { static_smem: smem, optin, carveout, blocks, threads: 64, ..plain });
        }
    }
    for barriers in 0..=17 {
        cases.push(Case { barriers, threads: 64, ..plain });
    }
    for virtual_resources in [1, 3, 4, 5, 8, 64, 127, 128, 129] {
        cases.push(Case { virtual_resources, ..plain });
    }
    for max_threads in [1, 31, 33, 255, 256, 1000, 1024, 2048] {
        cases.push(Case { max_threads, smem_per_thread: 48, ..plain });
    }
    // Where the preference alone could not hold the static shared memory of several blocks.
    for carveout in 101..=104 {
        cases.push(Case { static_smem: 20_000, carveout, blocks: 2, threads: 64, ..plain });
    }
    cases
}

fn text(device: &Device, cases: &[Case], answers: &[Answer]) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "# Answers of cuda_occupancy.h {HEADER_VERSION} for {}, written by `cargo xtask golden`.",
        device.name
    )?;
    writeln!(text, "# A row: the question of xtask/src/vector.rs without its device, then the header's answer.")?;
    writeln!(text, "# `-`: no limit, not known, no answer. The first row is what the header was told of the device.")?;
    row(&mut text, &device.properties());
    let names: Vec<_> = Case::NAMES[1..].iter().chain(Answer::NAMES).copied().collect();
    writeln!(text, "# {}", names.join(","))?;
    for (case, answer) in cases.iter().zip(answers) {
        row(&mut text, &[&case.words()[1..], &answer.words()].concat());
    }
    Ok(text)
}

fn row(text: &mut String, words: &[u32]) {
    let words: Vec<_> =
        words.iter().map(|&word| if word == NONE { "-".to_owned() } else { word.to_string() }).collect();
    text.push_str(&words.join(","));
    text.push('\n');
}

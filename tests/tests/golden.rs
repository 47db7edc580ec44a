//! The model against answers of NVIDIA's own header that were written down: needs neither the header nor a GPU.
//!
//! `cargo xtask golden` writes the files, `cargo xtask oracle` checks that they are still what the header answers.

#[path = "../../xtask/src/vector.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with xtask, which uses more of it")]
mod vector;

use std::fs;
use std::path::Path;
use vector::{Answer, Case, Departures, Device, NONE};

/// Vectors every device must have.
const LEAST: usize = 1000;

/// The numbers of a row.
fn row<const N: usize>(line: &str) -> [u32; N] {
    let words: Vec<u32> = line
        .split(',')
        .map(|word| if word == "-" { NONE } else { word.parse().unwrap_or_else(|_| panic!("`{word}` in {line}")) })
        .collect();
    words.try_into().unwrap_or_else(|words: Vec<u32>| panic!("{} instead of {N} numbers in {line}", words.len()))
}

/// The words of a question without its device, then those of the header's answer.
fn vector(line: &str, device: u32) -> (Case, Answer) {
    let words: [u32; Case::WORDS - 1 + Answer::WORDS] = row(line);
    let (question, answer) = words.split_at(Case::WORDS - 1);
    let mut case = [device; Case::WORDS];
    case[1..].copy_from_slice(question);
    (Case::from_words(case), Answer::from_words(answer.try_into().expect("a row is a question and an answer")))
}

#[test]
fn every_golden_vector() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/golden");
    let mut departures = Departures::default();
    for (at, device) in (0..).zip(Device::all()) {
        let path = directory.join(format!("{}.csv", device.name));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let told = lines.next().map(row);
        assert_eq!(told, Some(device.properties()), "{}: made for another table", device.name);
        let mut vectors = 0;
        for line in lines {
            let (case, header) = vector(line, at);
            let ours = Answer::of_model(&device.limits, &case);
            let expected = departures.expected(&device.limits, &case, &header);
            assert!(ours == expected, "{}: {case:#?}\n{}", device.name, Answer::table(&ours, &expected, &header));
            vectors += 1;
        }
        assert!(vectors >= LEAST, "{}: only {vectors} vectors", device.name);
    }
    // Every documented departure is met, so that none can be dropped unnoticed.
    let Departures { registers, max_threads, barriers, limiters, smem, available } = departures;
    for count in [registers, max_threads, barriers, limiters, smem, available] {
        assert!(count > 0, "{departures:?}");
    }
}

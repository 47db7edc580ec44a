//! What NVIDIA's header answered: `tests/data/golden`, as `cargo xtask golden` wrote it.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A question about a kernel with one barrier and no preferred carve-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// Threads of a block.
    pub threads: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub static_smem: u32,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem: u32,
    /// Whether the function's limit was raised as far as this needs.
    pub is_opted_in: bool,
}

/// What NVIDIA's header answered for a capability: questions, and blocks per SM.
pub fn recorded(capability: [u32; 2]) -> Vec<(Question, u32)> {
    let recorded = Recorded::of(capability).into_iter();
    recorded.flat_map(Recorded::all).map(|(question, blocks)| (*question, *blocks)).collect()
}

/// What the header was told of a device, and its answers.
pub(crate) struct Recorded {
    /// Major, minor, threads of a block, threads of an SM, registers of a block and of an SM, threads of a warp, shared
    /// memory of a block, of an SM, of a block with the opt-in, and reserved in each block.
    pub(crate) properties: [u32; 11],
    answers: HashMap<Question, u32>,
    /// The best block's threads, and blocks per SM, by registers and all shared memory.
    best: HashMap<[u32; 2], [u32; 2]>,
}

impl Recorded {
    pub(crate) fn of(capability: [u32; 2]) -> Option<&'static Recorded> {
        static ALL: OnceLock<Vec<Recorded>> = OnceLock::new();
        let all = ALL.get_or_init(|| FILES.iter().filter_map(|file| parse(file)).collect());
        all.iter().find(|recorded| recorded.properties[..2] == capability)
    }

    /// Returns blocks per SM. The header is told static and dynamic shared memory, and only ever looks at their sum.
    pub(crate) fn answer(&self, question: &Question) -> Option<u32> {
        let Question { static_smem, dynamic_smem, .. } = *question;
        let smem = static_smem.checked_add(dynamic_smem)?;
        let all_dynamic = Question { static_smem: 0, dynamic_smem: smem, ..*question };
        self.answers.get(question).or_else(|| self.answers.get(&all_dynamic)).copied()
    }

    /// Returns the best block's threads and its blocks per SM, or `None` if no block runs.
    pub(crate) fn best_block(&self, registers: u32, smem: u32) -> Option<[u32; 2]> {
        self.best.get(&[registers, smem]).copied().filter(|[threads, _]| *threads > 0)
    }

    /// Returns all questions with their answers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Question, &u32)> {
        self.answers.iter()
    }
}

const FILES: [&str; 8] = [
    include_str!("../../data/golden/sm_75.csv"),
    include_str!("../../data/golden/sm_80.csv"),
    include_str!("../../data/golden/sm_86.csv"),
    include_str!("../../data/golden/sm_89.csv"),
    include_str!("../../data/golden/sm_90.csv"),
    include_str!("../../data/golden/sm_100.csv"),
    include_str!("../../data/golden/sm_120.csv"),
    include_str!("../../data/golden/sm_61.csv"),
];

/// Columns of a row: ten of the question, then the header's answer. These are the blocks per SM, and the best block.
const ACTIVE: usize = 19;
const BEST: [usize; 2] = [26, 27];

fn parse(file: &str) -> Option<Recorded> {
    let mut rows = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let properties: Vec<u32> = rows.next()?.split(',').filter_map(|word| word.parse().ok()).collect();
    let rows: Vec<_> = rows.filter_map(row).collect();
    let best = rows.iter().filter(|(question, ..)| question.is_opted_in).map(|(question, _, best)| {
        let Question { registers, static_smem, dynamic_smem, .. } = question;
        ([*registers, static_smem.saturating_add(*dynamic_smem)], *best)
    });
    let best = best.collect();
    let answers = rows.into_iter().map(|(question, blocks, _)| (question, blocks)).collect();
    Some(Recorded { properties: properties.try_into().ok()?, answers, best })
}

/// A question, blocks per SM, and the best block.
fn row(row: &str) -> Option<(Question, u32, [u32; 2])> {
    let words: Vec<&str> = row.split(',').collect();
    let number = |at: usize| words.get(at)?.parse::<u32>().ok();
    // No carve-out, one barrier, no tensor memory, no caching in L1, no bound of its own.
    let is_plain = number(5)? == 101 && number(6)? == 1 && number(7)? == 0 && number(8)? == 0 && words[9] == "-";
    let question = Question {
        threads: number(0)?,
        registers: number(1)?,
        static_smem: number(2)?,
        dynamic_smem: number(3)?,
        is_opted_in: number(4)? == 1,
    };
    is_plain.then_some((question, number(ACTIVE)?, [number(BEST[0])?, number(BEST[1])?]))
}

//! What NVIDIA's header answered: `tests/data/golden`, as `cargo xtask golden` wrote it. Columns: `xtask/src/vector.rs`.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A question about a kernel with one barrier, no tensor memory and no bound of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    pub(crate) threads: u32,
    pub(crate) registers: u32,
    /// Static and dynamic together: the header only ever looks at their sum.
    pub(crate) smem: u32,
    pub(crate) is_opted_in: bool,
    /// Percent, or 101 for no preference.
    pub(crate) carveout: u32,
}

/// What the header was told of a device, and its answers.
pub(crate) struct Golden {
    /// Major, minor, threads of a block, threads of an SM, registers of a block and of an SM, threads of a warp, shared
    /// memory of a block, of an SM, of a block with the opt-in, and reserved in each block.
    pub(crate) properties: [u32; 11],
    answers: HashMap<Question, u32>,
}

impl Golden {
    pub(crate) fn all() -> &'static [Golden] {
        static ALL: OnceLock<Vec<Golden>> = OnceLock::new();
        ALL.get_or_init(|| if cfg!(miri) { &FILES[..4] } else { &FILES[..] }.iter().map(|file| parse(file)).collect())
    }

    pub(crate) fn of(capability: [u32; 2]) -> Option<&'static Golden> {
        Golden::all().iter().find(|golden| golden.properties[..2] == capability)
    }

    /// Blocks per SM.
    pub(crate) fn blocks(&self, question: &Question) -> Option<u32> {
        self.answers.get(question).copied()
    }

    /// Every question with its answer, in an order that does not change.
    pub(crate) fn questions(&self) -> Vec<(Question, u32)> {
        let mut all: Vec<_> = self.answers.iter().map(|(question, blocks)| (*question, *blocks)).collect();
        all.sort_by_key(|(question, _)| {
            (question.threads, question.registers, question.smem, question.carveout, question.is_opted_in)
        });
        all
    }
}

macro_rules! golden {
    ($($arch:literal)*) => {
        [$(include_str!(concat!("../../../tests/data/golden/sm_", $arch, ".csv"))),*]
    };
}

/// One for each capability; those that are run under miri first.
const FILES: [&str; 23] = golden!(80 86 90 75 35 37 50 52 53 60 61 62 70 72 87 88 89 100 103 107 110 120 121);

/// Column of the header's blocks per SM: after the fourteen of the question and six limits, less the last one's own.
const ACTIVE: usize = 19;

fn parse(file: &str) -> Golden {
    let mut rows = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let properties: Vec<u32> = rows.next().unwrap().split(',').map(|word| word.parse().unwrap()).collect();
    let rows = rows.take(if cfg!(miri) { 300 } else { usize::MAX });
    Golden { properties: properties.try_into().unwrap(), answers: rows.filter_map(row).collect() }
}

fn row(row: &str) -> Option<(Question, u32)> {
    let words: Vec<&str> = row.split(',').collect();
    let number = |at: usize| words[at].parse::<u32>().ok();
    let is_plain = number(6)? == 1 && number(7)? == 0 && number(8)? == 0 && words[9] == "-";
    let question = Question {
        threads: number(0)?,
        registers: number(1)?,
        smem: number(2)?.checked_add(number(3)?)?,
        is_opted_in: number(4)? == 1,
        carveout: number(5)?,
    };
    // 102 to 104 are preferences by name, which are no attribute of a function.
    (is_plain && question.carveout <= 101).then_some((question, number(ACTIVE)?))
}

/// The header was told what `devices.csv` says.
#[test]
fn the_tables_agree() {
    for golden in Golden::all() {
        let [major, minor, rest @ ..] = golden.properties;
        // Its shared memory without the oversized mode is nowhere published.
        if [major, minor] == [10, 7] {
            continue;
        }
        let row = crate::recorded::DeviceRow::of(&format!("{major}.{minor}"));
        let columns = [
            "max_threads_per_block",
            "max_threads_per_sm",
            "regs_per_block",
            "regs_per_sm",
            "warp_size",
            "smem_per_sm",
            "smem_per_block_optin",
            "smem_reserved_per_block",
        ];
        let told = [rest[0], rest[1], rest[2], rest[3], rest[4], rest[6], rest[7], rest[8]];
        assert_eq!(columns.map(|column| row.number(column).cast_unsigned()), told, "{major}.{minor}");
    }
}

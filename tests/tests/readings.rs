//! What profilers, NVIDIA's spreadsheet and the driver printed for real launches, every figure of every row.
//!
//! `data/readings.csv` was collected from public repositories; each row names the file it was printed in.
//!
//! How a profiler's figures are read:
//!
//! - `smem_config_bytes` is the shared memory the driver gave the SM for this launch, mostly less than there is: it
//!   chooses the smallest size that costs no occupancy. Some percentage of [`Carveout::Percent`] asks for the same
//!   size, so that percentage stands for the driver's choice.
//! - The limit by shared memory is that size ÷ what a block takes. Four older reports divide the whole memory of the
//!   SM instead, whatever was configured.
//! - Limits of what a launch does not use, and of barriers, are never printed higher than the limit of blocks: 32 with
//!   one barrier on 9.0, where the pool of 64 would admit 64.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod support;

use occ_core::{Allocation, Arch, Carveout, Gpu, Kernel, Launch, Occupancy, SmLimits, Waves, allocation, occupancy};
use occ_tests::with;
use support::{Row, columns, rows};

const READINGS: &str = include_str!("../data/readings.csv");

/// Figures that were printed and compared, and figures that cannot be compared since what they follow from was not
/// printed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    compared: usize,
    without_inputs: usize,
}

impl Count {
    fn compare<T: PartialEq + std::fmt::Debug>(&mut self, row: &Row<'_>, column: &str, printed: Option<T>, ours: &T) {
        if let Some(printed) = printed {
            assert_eq!(*ours, printed, "{column}: {}", describe(row));
            self.compared += 1;
        }
    }

    fn close(&mut self, row: &Row<'_>, column: &str, ours: f64) {
        if let Some(printed) = row.number::<f64>(column) {
            let precision = precision(row, column);
            assert!((ours - printed).abs() <= precision, "{column}: {ours} is not {printed}: {}", describe(row));
            self.compared += 1;
        }
    }
}

fn describe(row: &Row<'_>) -> String {
    ["cc", "block_size", "regs", "static_smem_bytes", "dynamic_smem_bytes", "smem_config_bytes", "source"]
        .map(|column| row.text(column))
        .join(" | ")
}

/// Half of the last digit the row's program prints.
fn precision(row: &Row<'_>, column: &str) -> f64 {
    match (row.text("kind"), column) {
        ("ncu_rep" | "nvidia_xls", "theoretical_occupancy_pct") => 0.000_050_1,
        ("ncu_rep", "waves_per_sm") => 0.000_000_501,
        ("api_print", _) => 0.050_1,
        _ => 0.005_01,
    }
}

fn arch(row: &Row<'_>) -> Arch {
    let (major, minor) = row.text("cc").split_once('.').unwrap();
    Arch::new(major.parse().unwrap(), minor.parse().unwrap()).unwrap()
}

/// The percentage that asks for the size the driver configured; no preference where the row does not say.
fn carveout(row: &Row<'_>, sm: &SmLimits) -> Carveout {
    match row.number::<u32>("smem_config_bytes") {
        Some(bytes) if bytes != sm.smem_per_sm => (0..=100)
            .map(Carveout::Percent)
            .find(|&carveout| sm.smem_for(carveout) == bytes)
            .unwrap_or_else(|| panic!("no percentage gives {bytes} bytes: {}", describe(row))),
        _ => Carveout::Default,
    }
}

struct Reading<'r> {
    row: &'r Row<'r>,
    sm: &'static SmLimits,
    kernel: Kernel,
    launch: Launch,
    given: Allocation,
    answer: Occupancy,
}

impl<'r> Reading<'r> {
    fn new(row: &'r Row<'r>) -> Self {
        let sm = arch(row).limits();
        let kernel = with!(Kernel::new(), registers: row.number("regs"),
            static_smem: row.number("static_smem_bytes").unwrap_or(0),
            l1_caching: counts_halves(row));
        let launch = Launch::new(row.number("block_size").unwrap())
            .dynamic_smem(row.number("dynamic_smem_bytes").unwrap_or(0))
            .carveout(carveout(row, sm));
        let given = allocation(sm, &kernel, &launch);
        let answer = occupancy(sm, &kernel, &launch).unwrap();
        Reading { row, sm, kernel, launch, given, answer }
    }

    fn device(&self, count: &mut Count) {
        count.compare(self.row, "limit_sm", self.limit("limit_sm"), &self.sm.max_blocks_per_sm);
        let reserved = self.sm.smem_reserved_per_block;
        count.compare(self.row, "driver_smem_bytes", self.row.number("driver_smem_bytes"), &reserved);
        if !self.row.text("smem_config_bytes").is_empty() {
            // Not raised: the driver's choice holds the blocks it was chosen for.
            let ours = self.given.smem_per_sm;
            count.compare(self.row, "smem_config_bytes", self.row.number("smem_config_bytes"), &ours);
        }
        if !self.row.text("device").is_empty() {
            // What the author added, `(Jetson AGX Thor)` or `RTX 5060 Laptop` for `RTX 5060 Laptop GPU`, is not a name.
            let name = self.row.text("device").replace(" (Jetson AGX Thor)", "").replace("-SXM2-16GB", " SXM2 16 GB");
            let name = if name.ends_with("Laptop") { name + " GPU" } else { name };
            let gpu = Gpu::find(&name).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(gpu.arch, arch(self.row), "{name}");
            count.compare(self.row, "num_sms", self.row.number("num_sms"), &gpu.sm_count);
        }
    }

    fn limits(&self, count: &mut Count) {
        let most = self.sm.max_blocks_per_sm;
        match (self.limit("limit_regs"), self.kernel.registers) {
            (Some(_), None) => count.without_inputs += 1,
            (printed, _) => {
                count.compare(self.row, "limit_regs", printed, &self.given.limits.registers.unwrap_or(most));
            }
        }
        match self.limit("limit_smem") {
            Some(_) if self.row.text("static_smem_bytes").is_empty() && self.row.text("kind") != "nvidia_xls" => {
                count.without_inputs += 1;
            }
            printed => count.compare(self.row, "limit_smem", printed, &self.limit_by_smem().unwrap_or(most)),
        }
        // The spreadsheet has one line for warps and blocks.
        let warps = self.given.limits.warps;
        let warps = if self.row.text("kind") == "nvidia_xls" { warps.min(most) } else { warps };
        count.compare(self.row, "limit_warps", self.limit("limit_warps"), &warps);
        let barriers = self.given.limits.barriers.unwrap_or(most).min(most);
        count.compare(self.row, "limit_barriers", self.limit("limit_barriers"), &barriers);
    }

    fn limit_by_smem(&self) -> Option<u32> {
        if divides_whole_memory(self.row) {
            let whole = self.launch.carveout(Carveout::Default);
            return allocation(self.sm, &self.kernel, &whole).limits.shared_memory;
        }
        self.given.limits.shared_memory
    }

    fn theory(&self, count: &mut Count) {
        let row = self.row;
        count.compare(row, "theoretical_warps", self.limit("theoretical_warps"), &self.answer.warps_per_sm());
        let share = if row.text("kind") == "api_print" {
            // Threads, not warps, are divided.
            f64::from(self.answer.blocks_per_sm * self.launch.threads()) / f64::from(self.sm.max_threads_per_sm())
        } else {
            self.answer.fraction()
        };
        count.close(row, "theoretical_occupancy_pct", share * 100.0);
    }

    fn waves(&self, count: &mut Count) {
        let Some(printed) = self.row.number::<f64>("waves_per_sm") else {
            return;
        };
        let blocks = self.row.number("grid_size").unwrap();
        let waves = |sms| Waves::new(blocks, self.answer.blocks_per_sm, sms).unwrap().exact();
        if let Some(sms) = self.row.number("num_sms") {
            count.close(self.row, "waves_per_sm", waves(sms));
            return;
        }
        // SMs were not printed: some product of this capability has a number of them that gives the figure.
        let of_arch = || Gpu::ALL.iter().filter(|gpu| gpu.arch == arch(self.row));
        let fits = of_arch().any(|gpu| (waves(gpu.sm_count) - printed).abs() <= precision(self.row, "waves_per_sm"));
        assert!(fits, "waves {printed}: {}", describe(self.row));
        count.compared += 1;
    }

    fn limit(&self, column: &str) -> Option<u32> {
        self.row.number(column)
    }
}

/// Reports whose limit by shared memory is the whole memory ÷ what a block takes.
fn divides_whole_memory(row: &Row<'_>) -> bool {
    ["bwd29/self-join-MiSTIC:", "iamcoleman/monte-carlo-pi:", "thedavidchu/speedy_scan:"]
        .iter()
        .any(|repository| row.text("source").contains(repository))
}

/// One spreadsheet's row for 5.2 gives a block at most 32,768 registers and counts per half of the SM, as if globals
/// were cached in L1: 4 blocks of 4 warps × 2,816 registers. The guide's limit is 65,536, and the other spreadsheet's
/// rows for 5.2 (5 blocks of 7 warps × 1,536) do not fit into halves: without the caching 5 blocks are right.
fn counts_halves(row: &Row<'_>) -> bool {
    row.text("source").starts_with("github.com/xmartlabs/cuda-calculator/pull/1 ")
}

#[test]
fn every_figure_of_every_row() {
    let columns = columns(READINGS);
    let rows = rows(READINGS, &columns);
    assert_eq!(rows.len(), 84);
    let mut count = Count::default();
    for row in &rows {
        let before = count.compared;
        let reading = Reading::new(row);
        reading.device(&mut count);
        reading.limits(&mut count);
        reading.theory(&mut count);
        reading.waves(&mut count);
        assert!(count.compared > before, "{}", describe(row));
    }
    assert_eq!(count, Count { compared: 651, without_inputs: 3 });

    // That is every cell with a figure: none is skipped.
    let figures = [
        "driver_smem_bytes",
        "smem_config_bytes",
        "limit_sm",
        "limit_regs",
        "limit_smem",
        "limit_warps",
        "limit_barriers",
        "theoretical_warps",
        "theoretical_occupancy_pct",
        "waves_per_sm",
    ];
    let printed = rows.iter().map(|row| {
        // An SM count is compared with the named device's, else used.
        let sms = usize::from(!row.text("num_sms").is_empty() && !row.text("device").is_empty());
        sms + figures.iter().filter(|column| !row.text(column).is_empty()).count()
    });
    assert_eq!(printed.sum::<usize>(), 651 + 3);
}

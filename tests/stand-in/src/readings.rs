//! What profilers printed of real launches: `tests/data/readings.csv`.

use crate::recorded::Question;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Returns the blocks per SM that were read of a launch, or `None` if nobody read them.
pub(crate) fn reading(capability: [u32; 2], question: &Question) -> Option<u32> {
    static ALL: OnceLock<HashMap<Key, u32>> = OnceLock::new();
    let all = ALL.get_or_init(|| parse(include_str!("../../data/readings.csv")));
    let Question { threads, registers, static_smem, dynamic_smem, .. } = *question;
    all.get(&(capability, threads, registers, static_smem.checked_add(dynamic_smem)?)).copied()
}

/// Capability, threads, registers, and all shared memory of a block.
type Key = ([u32; 2], u32, u32, u32);

fn parse(file: &str) -> HashMap<Key, u32> {
    let mut lines = file.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines.filter_map(|line| row(&columns, &line.split(',').collect::<Vec<_>>())).collect()
}

/// A row that says how many warps an SM holds of the launch. Rows that say so in percent say it of an SM whose warps
/// they do not name, and are left out.
fn row(columns: &[&str], words: &[&str]) -> Option<(Key, u32)> {
    let word = |column: &str| words.get(columns.iter().position(|name| *name == column)?).copied();
    let number = |column: &str| word(column)?.parse::<u32>().ok();
    if !word("kind")?.starts_with("ncu_") {
        return None;
    }
    let (major, minor) = word("cc")?.split_once('.')?;
    let capability = [major.parse().ok()?, minor.parse().ok()?];
    let smem = number("static_smem_bytes")?.checked_add(number("dynamic_smem_bytes")?)?;
    let threads = number("block_size")?;
    let blocks = number("theoretical_warps")? / threads.div_ceil(32);
    Some(((capability, threads, number("regs")?, smem), blocks))
}

//! Parses the logs of `ptxas -v` and `nvlink -v`, independently of the code under test.

use std::collections::BTreeSet;

/// The values of a kernel in a log. A value that was not printed is `None` if only some versions print it, and 0 otherwise.
#[derive(Debug, Default)]
pub(crate) struct Logged {
    pub(crate) name: String,
    /// The target, `sm_90a`; empty for `nvlink`, which does not print it.
    pub(crate) arch: String,
    pub(crate) registers: u32,
    pub(crate) smem: u32,
    /// Printed by `ptxas` from 12.6 on.
    pub(crate) barriers: Option<u32>,
    /// The kernel's own stack frame, in bytes.
    pub(crate) frame: u32,
    /// The stack with called functions, in bytes. Printed by `ptxas` from 12.4 on if it is not 0, and by `nvlink`.
    pub(crate) stack: Option<u32>,
    pub(crate) spill_stores: u32,
    pub(crate) spill_loads: u32,
    /// Whether a warning states that the stack is unbounded.
    pub(crate) is_unbounded: bool,
}

/// Parses the log of `ptxas -v`.
pub(crate) fn ptxas(text: &str) -> Vec<Logged> {
    let mut unbounded = BTreeSet::new();
    let mut kernels = Vec::new();
    let mut open = Logged::default();
    let mut properties_of = "";
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        if line.contains("cannot be statically determined") {
            unbounded.insert(quoted(line, 0));
        } else if line.contains("Compiling entry function '") {
            open = Logged { name: quoted(line, 0), arch: quoted(line, 1), ..Logged::default() };
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            properties_of = name;
        } else if let [frame, "bytes", "stack", "frame,", stores, "bytes", "spill", "stores,", loads, ..] = words[..] {
            if properties_of == open.name {
                (open.frame, open.spill_stores, open.spill_loads) = (number(frame), number(stores), number(loads));
            }
        } else if let Some((_, used)) = line.split_once(": Used ") {
            let mut kernel = std::mem::take(&mut open);
            apply(&mut kernel, used);
            kernels.push(kernel);
        }
    }
    for kernel in &mut kernels {
        kernel.is_unbounded = unbounded.contains(&kernel.name);
    }
    kernels
}

/// Parses the log of `nvlink -v`.
pub(crate) fn nvlink(text: &str) -> Vec<Logged> {
    let mut kernels = Vec::new();
    let mut name = String::new();
    for line in text.lines() {
        if line.contains("Function properties for '") {
            name = quoted(line, 0);
        } else if let Some((_, used)) = line.split_once(": used ") {
            let mut kernel = Logged { name: std::mem::take(&mut name), ..Logged::default() };
            apply(&mut kernel, used);
            kernels.push(kernel);
        }
    }
    kernels
}

/// Applies the numbers of a line `Used ..`, without that word.
fn apply(kernel: &mut Logged, used: &str) {
    for part in used.split(',') {
        match part.split_whitespace().collect::<Vec<_>>()[..] {
            [count, "registers"] => kernel.registers = number(count),
            ["used", count, "barriers"] => kernel.barriers = Some(number(count)),
            [bytes, "bytes", "cumulative", "stack", "size"] | [bytes, "stack"] => kernel.stack = Some(number(bytes)),
            [bytes, "bytes", "smem"] => kernel.smem = number(bytes),
            _ => {}
        }
    }
}

/// Returns the `nth` quoted text of a line.
fn quoted(line: &str, nth: usize) -> String {
    line.split('\'').nth(2 * nth + 1).unwrap_or_default().to_owned()
}

/// Parses a number; a malformed one becomes a value that cannot be right.
fn number(word: &str) -> u32 {
    word.parse().unwrap_or(u32::MAX)
}

//! What the attribute adds to `cargo check` of a crate with a thousand annotated functions.

use super::generated::{GeneratedCrates, ITEMS, NOP, ROUNDS, RUNTIME, SERDE, functions};
use super::measure::{is_at_most, median};
use crate::Result;
use occ_core::{Arch, internal::arch_bits};
use std::fmt::Write as _;

/// `cargo xtask bench attribute`.
pub(super) fn run() -> Result<()> {
    let bench = GeneratedCrates::new("attribute")?;
    bench.nop()?;
    let constants = "pub const BLOCK: u32 = 256;\npub const REGISTERS: u32 = 40;\npub const SMEM: u32 = 4096;\n";
    bench.member("with_nop", NOP, &functions("#[nop::nop(", literals))?;
    bench.member("with_literals", RUNTIME, &functions("#[occ_runtime::launch_config(", literals))?;
    let with_constants = |attribute| format!("{constants}{}", functions(attribute, in_constants));
    bench.member("with_nop_constants", NOP, &with_constants("#[nop::nop("))?;
    bench.member("with_constants", RUNTIME, &with_constants("#[occ_runtime::launch_config("))?;
    bench.member("without_checks", RUNTIME, constants)?;
    bench.member("with_checks", RUNTIME, &format!("{constants}{}", checks()))?;
    bench.member("without_derive", SERDE, &structs(""))?;
    bench.member("with_derive", SERDE, &structs("#[derive(serde::Deserialize)]\n"))?;
    bench.workspace()?;
    let names = [
        "with_nop",
        "with_literals",
        "with_nop_constants",
        "with_constants",
        "without_derive",
        "with_derive",
        "without_checks",
        "with_checks",
    ];
    let rounds = bench.rounds(&names)?;
    let literal = median(rounds.iter().map(|round| round[1] / round[0]));
    let derive = median(rounds.iter().map(|round| (round[1] - round[0]) / (round[5] - round[4])));
    let constant = median(rounds.iter().map(|round| round[3] - round[2]));
    let check = median(rounds.iter().map(|round| round[7] - round[6]));
    println!("CPU seconds of `cargo check`, {ITEMS} items, median of {ROUNDS} rounds:");
    for (index, name) in names.iter().enumerate() {
        println!("  {name}: {:.3}", median(rounds.iter().map(|round| round[index])));
    }
    println!("added by the checks alone, without the macro: {check:.3} s");
    let reached = [
        is_at_most(1.5, "literal arguments, against an attribute that returns its item", literal, "times"),
        is_at_most(1.0 / 3.0, "added time, against #[derive(serde::Deserialize)] on four fields", derive, "times"),
        is_at_most(0.15, "constant arguments, two architectures, added", constant, "s"),
    ];
    if reached.into_iter().all(|is_reached| is_reached) { Ok(()) } else { Err("a bar was missed".into()) }
}

/// Returns arguments that the macro evaluates, different for each item.
fn literals(index: usize) -> String {
    let registers = 16 + index % 24;
    format!(
        "arch = [\"sm_80\", \"sm_90\"], min_occupancy = 0.25, block = 256, registers = {registers}, dynamic_smem = {}",
        index * 4
    )
}

/// Returns arguments that the compiler evaluates, different for each item.
fn in_constants(index: usize) -> String {
    format!(
        "arch = [\"sm_80\", \"sm_90\"], min_occupancy = 0.25, block = BLOCK, registers = REGISTERS, \
         dynamic_smem = SMEM + {index}"
    )
}

/// Returns the checks that the macro leaves to the compiler.
fn checks() -> String {
    let archs = arch_bits(&[Arch::SM_80, Arch::SM_90]);
    let mut source = String::new();
    for index in 0..ITEMS {
        let _ = writeln!(
            source,
            "const _: () = ::occ_runtime::__private::finish(::occ_runtime::__private::check_launch({archs}, \
             [BLOCK, 1, 1], [SMEM + {index}, 0, REGISTERS, 1], 1, 0.25));"
        );
    }
    source
}

fn structs(derive: &str) -> String {
    let mut source = String::new();
    for index in 0..ITEMS {
        let _ = write!(
            source,
            "{derive}pub struct Item{index} {{
    pub count: u32,
    pub name: String,
    pub bytes: Vec<u8>,
    pub scale: Option<f64>,
}}
"
        );
    }
    source
}

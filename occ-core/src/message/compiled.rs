//! What compiled kernels are: where a message's numbers were read, and the ceilings and promises they break.

use super::short::count_of;
use super::standing::{NAMED, Standing, standing};
use super::{HELP, NOTE};
use crate::check::Check;
use crate::compiled::{Ceiling, Compiled, compiled_for};
use crate::text::{Text, same_text};

/// One line for each capability on which the launch fails and whose kernel was read: its numbers, and from where.
pub(super) const fn sources(text: &mut Text, check: &Check<'_>) {
    let mut told = 0;
    let mut at = 0;
    while at < check.archs.len() && told < NAMED {
        let arch = check.archs[at];
        at += 1;
        if !matches!(standing(check, arch), Standing::Passes)
            && let Some(compiled) = compiled_for(check.compiled, arch)
            && !was_told(check, at - 1, compiled)
        {
            source(text, compiled);
            told += 1;
        }
    }
}

/// Whether an earlier capability that fails runs the same code: its line says it all.
const fn was_told(check: &Check<'_>, before: usize, compiled: &Compiled<'_>) -> bool {
    let mut at = 0;
    while at < before {
        let arch = check.archs[at];
        at += 1;
        if !matches!(standing(check, arch), Standing::Passes)
            && let Some(other) = compiled_for(check.compiled, arch)
            && same_text(other.source, compiled.source)
        {
            return true;
        }
    }
    false
}

/// `kernels/saxpy.cubin, sm_80: 168 registers, 4096 bytes of static shared memory, 1 barrier`.
pub(super) const fn source(text: &mut Text, compiled: &Compiled<'_>) {
    let kernel = &compiled.kernel;
    text.str(NOTE).str(compiled.source).str(": ");
    if let Some(registers) = kernel.registers {
        count_of(text, registers, "register").str(", ");
    }
    count_of(text, kernel.static_smem, "byte").str(" of static shared memory, ");
    count_of(text, kernel.barriers, "barrier");
    if kernel.virtual_resources > 0 {
        text.str(", tensor memory");
    }
}

/// A compiled kernel above a ceiling.
pub(super) const fn above_ceiling(text: &mut Text, check: &Check<'_>, ceiling: Ceiling) {
    let (Some(highest), Some(most)) = (check.highest(ceiling), check.ceilings.of(ceiling)) else {
        return;
    };
    amount(text.str(name(ceiling)).str(": "), ceiling, highest).str(" (").str(highest.source).str(")");
    text.str(", declared are at most ").num(most as u64);
    let mut told = 0;
    let mut at = 0;
    while at < check.archs.len() && told < NAMED {
        if let Some(other) = compiled_for(check.compiled, check.archs[at])
            && !matches!(other.number(ceiling), Some(number) if number <= most)
            && other.arch.index() != highest.arch.index()
            && !same_text(other.source, highest.source)
        {
            amount(text.str(NOTE).str(name(ceiling)).str(": "), ceiling, other).str(" (").str(other.source).str(")");
            told += 1;
        }
        at += 1;
    }
    let Some(number) = highest.number(ceiling) else {
        return;
    };
    let key = match ceiling {
        Ceiling::Registers if check.registers_are_cap => "max_registers",
        Ceiling::Registers => "registers",
        Ceiling::Stack => "max_stack",
        Ceiling::Spills => "max_spills",
    };
    text.str(HELP);
    if number == Compiled::UNBOUNDED {
        text.str("bound the recursion, or remove `").str(key).str("`");
        return;
    }
    if matches!(ceiling, Ceiling::Registers) && most >= LOWEST_CAP {
        text.str("compile the kernel with `-maxrregcount=").num(most as u64).str("`, or ");
    }
    text.str("if that is meant, write `").str(key).str(" = ").num(number as u64).str("`");
}

/// The lowest `-maxrregcount` that `ptxas` does not raise.
const LOWEST_CAP: u32 = 24;

const fn name(ceiling: Ceiling) -> &'static str {
    match ceiling {
        Ceiling::Registers => "registers",
        Ceiling::Stack => "stack",
        Ceiling::Spills => "spills",
    }
}

const fn amount<'t>(text: &'t mut Text, ceiling: Ceiling, compiled: &Compiled<'_>) -> &'t mut Text {
    match (ceiling, compiled.number(ceiling)) {
        (_, None) => text.str("not known"),
        (Ceiling::Registers, Some(number)) => text.num(number as u64),
        (Ceiling::Stack, Some(Compiled::UNBOUNDED)) => text.str("no bound is known"),
        (Ceiling::Stack, Some(number)) => count_of(text, number, "byte").str(" per thread"),
        (Ceiling::Spills, Some(number)) => count_of(text, number, "byte"),
    }
}

/// A kernel that was compiled for more blocks per SM than there is room for.
pub(super) const fn below_compiled_minimum(text: &mut Text, check: &Check<'_>) {
    let Some((compiled, answer)) = check.first_below_compiled_minimum() else {
        return;
    };
    let minimum = match compiled.min_blocks_per_sm {
        Some(minimum) => minimum,
        None => 0,
    };
    text.str("the kernel was compiled for at least ");
    count_of(text, minimum, "block").str(" per SM (`.minnctapersm`), this launch has ");
    text.num(answer.blocks_per_sm as u64).str(" on ").str(compiled.arch.name());
    super::short::one_cause_of(text, check, compiled.arch, &answer);
    source(text, compiled);
    text.str(NOTE).str("the compiler kept registers down for that minimum, and does not say that it is missed; `allow = (compiled_min_blocks)` accepts it");
}

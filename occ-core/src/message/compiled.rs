//! What compiled kernels are: where a message's numbers were read, and the ceilings and promises they break.

use super::list::named;
use super::out_of_range::registers_key;
use super::sentence::{HELP, NOTE, Sentence, Value};
use crate::compiled::{Compiled, compiled_for};
use crate::evaluation::{Evaluation, Outcome};
use crate::requirement::{Argument, Ceilings, Rule};
use crate::text::{Text, same_text};
use core::fmt;

const SOURCE: Sentence<5> = Sentence::new("{}: {}, {} of static shared memory, {}{}");
const SOURCE_WITHOUT_REGISTERS: Sentence<4> = Sentence::new("{}: {} of static shared memory, {}{}");
const ABOVE_CEILING: Sentence<4> = Sentence::new("{}: {} {} exceeds the declared maximum of {}");
const NO_BOUND: Sentence<3> = Sentence::new("{}: {} has no known bound; the declared maximum is {}");
const NOT_KNOWN: Sentence<3> = Sentence::new("{}: {} is unknown; the declared maximum is {}");
const BOUND_RECURSION: Sentence<1> = Sentence::new("bound the recursion, or remove `{}`");
const CAP_REGISTERS: Sentence<3> =
    Sentence::new("compile the kernel with `-maxrregcount={}`, or set `{} = {}` to accept it");
const RAISE_CEILING: Sentence<2> = Sentence::new("set `{} = {}` to accept it");
const BELOW_MINIMUM: Sentence<3> =
    Sentence::new("the kernel was compiled for at least {} per SM (`.minnctapersm`); only {} resident on {}");
const MINIMUM_COST: Sentence<0> = Sentence::new(
    "the compiler limited registers for that minimum, which the launch misses; \
     `allow = (compiled_min_blocks)` accepts it",
);

/// Appends one line for each capability on which the launch fails and whose kernel was read.
pub(super) const fn sources(text: &mut Text, evaluation: &Evaluation<'_>) {
    let archs = evaluation.check.archs;
    let mut written = 0;
    let mut index = 0;
    while index < archs.len() && written < named(usize::MAX) {
        if let Some(compiled) = failing(evaluation, index)
            && !is_listed(evaluation, index, compiled)
        {
            write_source(text.str(NOTE), compiled);
            written += 1;
        }
        index += 1;
    }
}

/// Returns the compiled kernel of a capability on which the launch fails.
const fn failing<'c>(evaluation: &Evaluation<'c>, index: usize) -> Option<&'c Compiled<'c>> {
    let arch = evaluation.check.archs[index];
    match evaluation.outcome(arch) {
        Some(Outcome::Passes(_)) => None,
        _ => compiled_for(evaluation.check.compiled, arch),
    }
}

/// Returns whether an earlier capability that fails runs the same code: its line says it all.
const fn is_listed(evaluation: &Evaluation<'_>, before: usize, compiled: &Compiled<'_>) -> bool {
    let mut index = 0;
    while index < before {
        if let Some(other) = failing(evaluation, index)
            && same_text(other.source, compiled.source)
        {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns the sentence about a compiled kernel without its registers, and the registers.
const fn source<'c>(compiled: &Compiled<'c>) -> (Option<Value<'c>>, [Value<'c>; 3]) {
    let kernel = &compiled.kernel;
    let registers = match kernel.registers {
        Some(number) => Some(Value::Count(number as u64, "register")),
        None => None,
    };
    let values = [
        Value::Count(kernel.static_smem as u64, "byte"),
        Value::Count(kernel.barriers as u64, "barrier"),
        Value::Name(if kernel.virtual_resources > 0 { ", tensor memory" } else { "" }),
    ];
    (registers, values)
}

const fn write_source(text: &mut Text, compiled: &Compiled<'_>) {
    let (registers, [smem, barriers, tensor_memory]) = source(compiled);
    let name = Value::Name(compiled.source);
    match registers {
        Some(registers) => SOURCE.write(text, [name, registers, smem, barriers, tensor_memory]),
        None => SOURCE_WITHOUT_REGISTERS.write(text, [name, smem, barriers, tensor_memory]),
    }
}

/// ``"`saxpy` in saxpy.cubin, sm_80: 168 registers, 4096 bytes of static shared memory, 1 barrier"``.
impl fmt::Display for Compiled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (registers, [smem, barriers, tensor_memory]) = source(self);
        let name = Value::Name(self.source);
        match registers {
            Some(registers) => SOURCE.with([name, registers, smem, barriers, tensor_memory]).fmt(f),
            None => SOURCE_WITHOUT_REGISTERS.with([name, smem, barriers, tensor_memory]).fmt(f),
        }
    }
}

/// Appends that a compiled kernel exceeds a ceiling.
pub(super) const fn above_ceiling(text: &mut Text, evaluation: &Evaluation<'_>, rule: Rule, ceiling: Argument) {
    let check = evaluation.check;
    let (Some(highest), Some(most)) = (evaluation.highest(rule), check.ceilings.of(rule)) else {
        return;
    };
    exceeds(text, highest, rule, ceiling, most);
    let mut written = 0;
    let mut index = 0;
    while index < check.archs.len() && written < named(usize::MAX) {
        if let Some(other) = compiled_for(check.compiled, check.archs[index])
            && !matches!(Ceilings::number(rule, other), Some(number) if number <= most)
            && other.arch.index() != highest.arch.index()
            && !same_text(other.source, highest.source)
        {
            exceeds(text.str(NOTE), other, rule, ceiling, most);
            written += 1;
        }
        index += 1;
    }
    let Some(number) = Ceilings::number(rule, highest) else {
        return;
    };
    let key = Value::Name(if matches!(ceiling, Argument::Registers) { registers_key(check) } else { ceiling.name() });
    let (most, number) = (most as u64, Value::Number(number as u64));
    text.str(HELP);
    if matches!(Ceilings::number(rule, highest), Some(Compiled::UNBOUNDED)) {
        BOUND_RECURSION.write(text, [key]);
    } else if matches!(ceiling, Argument::Registers) && most >= LOWEST_CAP {
        CAP_REGISTERS.write(text, [Value::Number(most), key, number]);
    } else {
        RAISE_CEILING.write(text, [key, number]);
    }
}

/// The lowest `-maxrregcount` that `ptxas` does not raise.
const LOWEST_CAP: u64 = 24;

/// Appends how a compiled kernel exceeds a ceiling.
const fn exceeds(text: &mut Text, compiled: &Compiled<'_>, rule: Rule, ceiling: Argument, most: u32) {
    let (what, unit) = match ceiling {
        Argument::Registers => ("register count", ""),
        Argument::MaxStack => ("stack size", "byte"),
        Argument::MaxSpills => ("spill size", "byte"),
        _ => (ceiling.name(), ""),
    };
    let (source, what, most) = (Value::Name(compiled.source), Value::Name(what), Value::Number(most as u64));
    match Ceilings::number(rule, compiled) {
        None => NOT_KNOWN.write(text, [source, what, most]),
        Some(Compiled::UNBOUNDED) => NO_BOUND.write(text, [source, what, most]),
        Some(number) if unit.is_empty() => {
            ABOVE_CEILING.write(text, [source, what, Value::Number(number as u64), most]);
        }
        Some(number) => ABOVE_CEILING.write(text, [source, what, Value::Count(number as u64, unit), most]),
    }
}

/// Appends that a kernel was compiled for more blocks per SM than are resident.
pub(super) const fn below_compiled_minimum(text: &mut Text, evaluation: &Evaluation<'_>) {
    let Some((compiled, minimum, occupancy)) = evaluation.first_below_compiled_minimum() else {
        return;
    };
    let mut blocks = Text::<32>::new();
    Value::Number(occupancy.blocks_per_sm as u64).write(&mut blocks);
    blocks.str(if occupancy.blocks_per_sm == 1 { " is" } else { " are" });
    let minimum = Value::Count(minimum as u64, "block");
    BELOW_MINIMUM.write(text, [minimum, Value::Name(blocks.as_str()), Value::Name(compiled.arch.name())]);
    super::short::causes(text, evaluation.check, compiled.arch, occupancy);
    write_source(text.str(NOTE), compiled);
    MINIMUM_COST.write(text.str(NOTE), []);
}

//! A value that is wrong on every device.

use super::sentence::{HELP, Sentence, Value};
use crate::carveout::Carveout;
use crate::check::Check;
use crate::requirement::{Argument, Number, Requirement};
use crate::text::Text;

const STATIC_SMEM: Sentence<2> = Sentence::new("`static_smem` is {}; the limit is {}");
const STATIC_SMEM_HELP: Sentence<0> = Sentence::new("use dynamic shared memory instead: `dynamic_smem` may be larger");
const ZERO: Sentence<1> = Sentence::new("`{}` must not be 0");
const ZERO_REGISTERS_HELP: Sentence<1> = Sentence::new("remove `{}` while the number is unknown");
const UNDECLARED_GPU: Sentence<2> = Sentence::new("{} has compute capability {}, which is not declared");
const NO_ARCH: Sentence<0> = Sentence::new("no compute capability is declared; nothing was checked");
const RANGE: Sentence<3> = Sentence::new("`{}` must be between 0 and {}; it is {}");
const PERCENT: Sentence<2> = Sentence::new("`carveout` must be between 0 and 100 percent; it is {}{}");

pub(super) const fn out_of_range(text: &mut Text, check: &Check<'_>, argument: Argument) {
    match (argument, check.requirement.get(argument)) {
        (Argument::StaticSmem, _) => {
            let bytes = Value::Count(check.kernel.static_smem as u64, "byte");
            STATIC_SMEM.write(text, [bytes, Value::Number(Check::MAX_STATIC_SMEM as u64)]);
            if more_is_possible(check) {
                STATIC_SMEM_HELP.write(text.str(HELP), []);
            }
        }
        (Argument::Registers, _) => {
            let name = Value::Name(registers_key(check));
            ZERO.write(text, [name]);
            ZERO_REGISTERS_HELP.write(text.str(HELP), [name]);
        }
        (Argument::Gpu, _) => {
            if let Some(gpu) = check.undeclared_gpu() {
                UNDECLARED_GPU.write(text, [Value::Name(gpu.name), Value::Name(gpu.arch.name())]);
            }
        }
        (Argument::Carveout, _) => {
            if let Carveout::Percent(percent) = check.launch.carveout {
                let at_least = if percent == u8::MAX { "at least " } else { "" };
                PERCENT.write(text, [Value::Name(at_least), Value::Number(percent as u64)]);
            }
        }
        (argument, Some(Number::Integer(_))) => ZERO.write(text, [Value::Name(argument.name())]),
        (argument, Some(Number::Float(number))) => {
            let most = Value::Any(Requirement::largest(argument));
            RANGE.write(text, [Value::Name(argument.name()), most, Value::Any(number)]);
        }
        (_, None) => NO_ARCH.write(text, []),
    }
}

/// Returns the key that declared the registers.
pub(super) const fn registers_key(check: &Check<'_>) -> &'static str {
    if check.registers_are_cap { "max_registers" } else { Argument::Registers.name() }
}

/// Returns whether every capability allows this much dynamic shared memory per block.
const fn more_is_possible(check: &Check<'_>) -> bool {
    let mut index = 0;
    while index < check.archs.len() {
        if check.archs[index].limits().smem_per_block_optin < check.kernel.static_smem {
            return false;
        }
        index += 1;
    }
    true
}

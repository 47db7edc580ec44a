//! Numbers, axes and strings as values of arguments, within the range of their keys.

use super::model::Axes;
use super::reader::Reader;
use crate::arguments::Arg;
use crate::defaults;
use crate::diagnostics::TokenRange;
use crate::keys::{KEYS, Key, Needs, NumberKind, ValueKind};
use crate::messages;
use crate::tokens::{comma_separated, ungrouped};
use crate::value::{Evaluated, Number, Value, evaluate};
use occ_core::Gpu;
use proc_macro2::{Delimiter, TokenTree};

impl Reader<'_> {
    /// Returns the integer that a key declares.
    pub(super) fn number(&mut self, key: Key) -> Option<Value<u32>> {
        match key.row().kind {
            ValueKind::Number(NumberKind::Integer { min }) => self.integer(self.arguments.get(key)?, min),
            _ => None,
        }
    }

    /// Returns every requirement, declared or from the environment.
    pub(super) fn requirements(&mut self, gpus: &[&Gpu]) -> Vec<Arg<Number>> {
        let mut requirements = Vec::new();
        for row in KEYS {
            let ValueKind::Requirement(kind, needs) = row.kind else {
                continue;
            };
            let Some(argument) = self.arguments.get(row.key) else {
                if row.key == Key::MinOccupancy && !self.arguments.may_have(row.key) {
                    requirements.extend(self.default_min_occupancy());
                }
                continue;
            };
            self.has_what_it_needs(argument, needs, gpus);
            let number = match kind {
                NumberKind::Integer { min } => self.integer(argument, min).map(Number::Integer),
                NumberKind::Float { max } => self.real(argument, max).map(Number::Float),
            };
            requirements.extend(number.map(|number| argument.with(number)));
        }
        requirements
    }

    /// Reports what is missing beside a requirement.
    fn has_what_it_needs(&mut self, argument: &Arg, needs: Needs, gpus: &[&Gpu]) {
        let is_declared = |key: Key| self.arguments.may_have(key) || key == Key::Gpu && !gpus.is_empty();
        let missing: Vec<Key> = needs.keys().iter().copied().filter(|key| !is_declared(*key)).collect();
        if !missing.is_empty() {
            let names = messages::names(missing.iter().map(|key| key.name()));
            let examples = messages::names(missing.iter().map(|key| key.example()));
            let reason = match needs {
                Needs::Cubin => messages::about_compiled_kernels(),
                Needs::Grid | Needs::Nothing => messages::about_grids(),
            };
            self.error(messages::missing_key(argument.key_range, argument.key.name(), names, reason, examples));
        }
    }

    fn default_min_occupancy(&mut self) -> Option<Arg<Number>> {
        let text = self.default(defaults::MIN_OCCUPANCY)?;
        let range = self.fallback;
        match text.trim().parse::<f64>() {
            Ok(fraction) if (0.0..=1.0).contains(&fraction) => {
                self.notes.push(messages::from_environment(Key::MinOccupancy.name(), defaults::MIN_OCCUPANCY));
                let value = Number::Float(Value::Known(fraction));
                Some(Arg { key: Key::MinOccupancy, key_range: range, value, range })
            }
            _ => {
                self.error(messages::fraction_in_variable(range, defaults::MIN_OCCUPANCY, text));
                None
            }
        }
    }

    /// Returns an argument's value as an integer of at least `min`.
    pub(super) fn integer(&mut self, argument: &Arg, min: u32) -> Option<Value<u32>> {
        let (name, at) = (argument.key.name(), argument.range);
        let error = match evaluate(&argument.value) {
            Ok(Evaluated::Integer(value)) => match u32::try_from(value) {
                Ok(number) if number >= min => return Some(Value::Known(number)),
                Ok(_) if matches!(argument.key, Key::Registers | Key::MaxRegisters) => {
                    messages::zero_registers(at, name)
                }
                Ok(_) => messages::zero(at, name),
                Err(_) if value < 0 => messages::negative(at, name),
                Err(_) => messages::above_maximum(at, name, value, u32::MAX),
            },
            Ok(Evaluated::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Evaluated::Float(_)) => messages::not_an_integer(at, name),
            Ok(Evaluated::Text(text)) => {
                let number = text.trim().parse::<u32>().ok();
                let help = number.map(|number| messages::write(format_args!("{name} = {number}")));
                messages::string_for_number(at, name).maybe_help(help)
            }
            Err(error) => error,
        };
        self.error(error);
        None
    }

    /// Returns an argument's value as a number from 0 to `max`.
    fn real(&mut self, argument: &Arg, max: f64) -> Option<Value<f64>> {
        let (name, at) = (argument.key.name(), argument.range);
        let value = match evaluate(&argument.value) {
            Ok(Evaluated::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Evaluated::Integer(value)) if value >= 0 && !is_literal(&argument.value) => {
                Err(messages::integer_arithmetic(at, name))
            }
            Ok(Evaluated::Integer(value)) => Ok(value as f64),
            Ok(Evaluated::Float(value)) => Ok(value),
            Ok(Evaluated::Text(_)) => Err(messages::string_for_number(at, name)),
            Err(error) => Err(error),
        };
        let error = match value {
            Ok(value) if (0.0..=max).contains(&value) => return Some(Value::Known(value)),
            Ok(_) if max > 1.0 => messages::not_in_range(at, name, max),
            Ok(value) => {
                let is_percentage = value > 1.0 && value <= 100.0;
                let fraction = format!("{:?}", value / 100.0);
                let help = is_percentage.then(|| messages::write_for_percentage(fraction, value));
                messages::not_a_fraction(at, name).maybe_help(help)
            }
            Err(error) => error,
        };
        self.error(error);
        None
    }

    /// Returns the axes that a key declares: `256`, `(16, 16)` or `(8, 8, 4)`. Axes that are left out are 1.
    pub(super) fn axes(&mut self, key: Key) -> Option<Axes> {
        let argument = self.arguments.get(key)?;
        let value = ungrouped(&argument.value);
        let pieces = match &value[..] {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => comma_separated(group),
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                self.error(messages::list_for_axes(argument.range, key.name(), group.stream()));
                return None;
            }
            _ => vec![value],
        };
        self.axes_of(&argument.with(pieces))
    }

    /// Returns axes that are split already.
    pub(super) fn axes_of(&mut self, pieces: &Arg<Vec<Vec<TokenTree>>>) -> Option<Axes> {
        let count = pieces.value.len();
        let range_of = |piece: &Vec<TokenTree>| TokenRange::of(piece).unwrap_or(pieces.range);
        if count == 0 || count > 3 {
            let range = pieces.value.get(3).map_or(pieces.range, range_of);
            self.error(messages::wrong_number_of_axes(range, pieces.key.name(), count));
            return None;
        }
        let mut axes = [const { Value::Known(1) }; 3];
        let mut is_valid = true;
        for (axis, piece) in axes.iter_mut().zip(&pieces.value) {
            let argument = Arg { range: range_of(piece), ..pieces.with(piece.clone()) };
            match self.integer(&argument, 1) {
                Some(value) => *axis = value,
                None => is_valid = false,
            }
        }
        is_valid.then_some(axes)
    }

    /// Returns the declared carve-out in percent.
    pub(super) fn carveout(&mut self) -> Option<Value<u32>> {
        let argument = self.arguments.get(Key::Carveout)?;
        let error = match evaluate(&argument.value) {
            Ok(Evaluated::Text(text)) if text == "max_shared" => return Some(Value::Known(100)),
            Ok(Evaluated::Text(text)) if text == "max_l1" => return Some(Value::Known(0)),
            Ok(Evaluated::Integer(percent @ 0..=100)) => return u32::try_from(percent).ok().map(Value::Known),
            Ok(Evaluated::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(_) => messages::not_a_carveout(argument.range),
            Err(error) => error,
        };
        self.error(error);
        None
    }

    /// Returns the strings of `"a"` or `["a", "b"]` with their ranges.
    pub(super) fn strings(&mut self, argument: &Arg) -> Vec<(String, TokenRange)> {
        let name = argument.key.name();
        let value = ungrouped(&argument.value);
        let pieces = match &value[..] {
            [TokenTree::Group(list)] if list.delimiter() == Delimiter::Bracket => comma_separated(list),
            _ => vec![value],
        };
        if pieces.is_empty() {
            self.error(messages::empty_list(argument.range, name));
        }
        let mut strings = Vec::new();
        for piece in pieces {
            let range = TokenRange::of(&piece).unwrap_or(argument.range);
            match evaluate(&piece) {
                Ok(Evaluated::Text(text)) => strings.push((text, range)),
                Ok(_) => self.error(argument.expected(range, "a string or a list of strings")),
                Err(error) => self.error(error),
            }
        }
        strings
    }
}

/// Returns whether a value is a literal and nothing else.
fn is_literal(tokens: &[TokenTree]) -> bool {
    matches!(&ungrouped(tokens)[..], [TokenTree::Literal(_)])
}

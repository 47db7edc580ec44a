//! Whole numbers, fractions and axes: read, and held against what they can be.

use super::{Axes, Reader};
use crate::arguments::{Argument as Given, Key};
use crate::diagnostics::{Diagnostic, Ends};
use crate::launch_site::axes_in;
use crate::value::{Value, Written, evaluate, visible};
use occ_core::Argument;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A stretch of tokens with the name it goes by in messages.
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) tokens: &'a [TokenTree],
    pub(super) ends: Ends,
}

impl<'a> Source<'a> {
    pub(super) fn of(given: &'a Given) -> Self {
        Source { name: given.key.name(), tokens: &given.value, ends: given.ends }
    }
}

impl Reader<'_> {
    /// A whole number of at least `least`.
    pub(super) fn number(&mut self, key: Key, argument: Argument, least: i128) -> Option<Value<u32>> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        self.read_number(&Source::of(given), least)
    }

    pub(super) fn read_number(&mut self, source: &Source<'_>, least: i128) -> Option<Value<u32>> {
        let Source { name, ends, .. } = *source;
        let error = match evaluate(source.tokens) {
            Ok(Written::Integer(value)) => match u32::try_from(value) {
                Ok(number) if value >= least => return Some(Value::Known(number)),
                _ if value < 0 => Diagnostic::new(ends, format!("`{name}` must not be negative")),
                Ok(_) => {
                    let error = Diagnostic::new(ends, format!("`{name}` must not be 0"));
                    match name {
                        "registers" | "max_registers" => error.help("leave it out while the number is not known"),
                        _ => error,
                    }
                }
                Err(_) => Diagnostic::new(ends, format!("`{name}` is {value}, more than {}", u32::MAX)),
            },
            Ok(Written::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Written::Float(_)) => Diagnostic::new(ends, format!("`{name}` must be a whole number")),
            Ok(Written::Text(text)) => {
                let error = Diagnostic::new(ends, format!("`{name}` must be a number, not a string"));
                match text.trim().parse::<u32>() {
                    Ok(number) => error.help(&format!("write `{name} = {number}`")),
                    Err(_) => error,
                }
            }
            Err(error) => error,
        };
        self.error(error);
        None
    }

    /// A number from 0 to `most`.
    pub(super) fn fraction(&mut self, key: Key, argument: Argument, most: f64) -> Option<Value<f64>> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        let name = key.name();
        let value = match evaluate(&given.value) {
            Ok(Written::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Written::Float(value)) => value,
            Ok(Written::Integer(value)) if value >= 0 && !is_literal(&given.value) => {
                let text = format!("`{name}` is worked out in whole numbers, which have no fraction");
                let error = Diagnostic::new(given.ends, text);
                self.error(error.help("write it with decimal points, as in `1.0 / 2.0`"));
                return None;
            }
            Ok(Written::Integer(value)) => value as f64,
            Ok(Written::Text(_)) => {
                self.error(Diagnostic::new(given.ends, format!("`{name}` must be a number, not a string")));
                return None;
            }
            Err(error) => {
                self.error(error);
                return None;
            }
        };
        if (0.0..=most).contains(&value) {
            return Some(Value::Known(value));
        }
        let error = if most > 1.0 {
            Diagnostic::new(given.ends, format!("`{name}` must be a number from 0 to {most}"))
        } else {
            let error = Diagnostic::new(given.ends, format!("`{name}` must be a fraction from 0.0 to 1.0"));
            if value > 1.0 && value <= 100.0 {
                error.help(&format!("for {value}% write `{:?}`", value / 100.0))
            } else {
                error
            }
        };
        self.error(error);
        None
    }

    /// `256`, `(16, 16)` or `(8, 8, 4)`; what is left out is 1.
    pub(super) fn axes(&mut self, key: Key, argument: Argument) -> Option<Axes> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        let value = visible(&given.value);
        let pieces = match &value[..] {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => axes_in(group),
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                let axes: TokenStream = group.stream();
                let error = Diagnostic::new(given.ends, format!("`{}` must be a number or a tuple", key.name()));
                self.error(error.help(&format!("write `{} = ({axes})`", key.name())));
                return None;
            }
            _ => vec![value],
        };
        self.read_axes(&pieces, key.name(), given.ends)
    }

    pub(super) fn read_axes(&mut self, pieces: &[Vec<TokenTree>], name: &str, ends: Ends) -> Option<Axes> {
        if pieces.is_empty() || pieces.len() > 3 {
            let count = pieces.len();
            let place = pieces.get(3).and_then(|piece| Ends::of(piece)).unwrap_or(ends);
            self.error(Diagnostic::new(place, format!("`{name}` has one to three axes, not {count}")));
            return None;
        }
        let mut axes = [const { Value::Known(1) }; 3];
        let mut sound = true;
        for (axis, piece) in axes.iter_mut().zip(pieces) {
            let source = Source { name, tokens: piece, ends: Ends::of(piece).unwrap_or(ends) };
            match self.read_number(&source, 1) {
                Some(value) => *axis = value,
                None => sound = false,
            }
        }
        sound.then_some(axes)
    }
}

/// Whether a value is a literal and nothing else.
fn is_literal(tokens: &[TokenTree]) -> bool {
    matches!(&visible(tokens)[..], [TokenTree::Literal(_)])
}

/// Axes as they are written.
pub(super) fn in_axes(axes: [u32; 3]) -> String {
    occ_core::internal::Value::Axes(axes).to_string()
}

pub(super) fn known_axes(pieces: &[Vec<TokenTree>]) -> Option<[u32; 3]> {
    let mut axes = [1; 3];
    for (axis, piece) in axes.iter_mut().zip(pieces) {
        match evaluate(piece) {
            Ok(Written::Integer(value)) => *axis = u32::try_from(value).ok()?,
            _ => return None,
        }
    }
    Some(axes)
}

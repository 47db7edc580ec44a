//! The arguments of one attribute: its tokens, split into keys and values. What the values mean is decided later.

use crate::diagnostics::{Diagnostic, Diagnostics, TokenRange};
use crate::keys::{KEYS, Key, ValueKind};
use crate::messages;
use crate::tokens::{is_punct, split_at_commas};
use crate::value::evaluate_text;
use occ_core::Argument;
use occ_core::internal::did_you_mean;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// Marks sibling `launch_config` attributes; rustc strips an attribute before it expands the next one. Alone, or as
/// `= "name"` with the kernel that the stripped attribute names.
pub(crate) const SIBLING_MARKER: &str = "__sibling";

/// How a key is written with its value.
#[derive(Clone, Copy)]
enum Form {
    /// `key = value`
    Value,
    /// `key(..)`; the value is the group.
    Call,
    /// `key`
    Flag,
}

/// An argument: a key, its value and where both are written.
#[derive(Clone, Debug)]
pub(crate) struct Arg<T = Vec<TokenTree>> {
    pub(crate) key: Key,
    pub(crate) key_range: TokenRange,
    pub(crate) value: T,
    /// Range of the value, or of the key if it has none.
    pub(crate) range: TokenRange,
}

impl<T> Arg<T> {
    /// Returns the error that its value, or a part of it, is not what is expected.
    pub(crate) fn expected(&self, at: TokenRange, expected: &str) -> Diagnostic {
        messages::not_a(at, self.key.name(), expected, self.key.example())
    }

    /// Returns the argument with another value.
    pub(crate) fn with<U>(&self, value: U) -> Arg<U> {
        Arg { key: self.key, key_range: self.key_range, value, range: self.range }
    }
}

/// The arguments of one attribute, each key at most once.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    list: Vec<Arg>,
    /// Keys that a misspelled one may stand for, so that they are not reported missing too.
    suspected: Vec<Key>,
    /// Whether a part could not be read, so that any key may be missing.
    is_incomplete: bool,
    /// Whether the function has other `launch_config` attributes, each for some of its launches.
    pub(crate) has_siblings: bool,
    /// The kernels that attributes above this one name.
    pub(crate) kernels_above: Vec<String>,
    /// Range of all arguments, if there are any.
    pub(crate) range: Option<TokenRange>,
}

impl Arguments {
    /// Splits an attribute's tokens and reports what is not of the form of an argument.
    pub(crate) fn parse(tokens: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut arguments = Arguments { range: TokenRange::of(&tokens), ..Arguments::default() };
        for piece in split_at_commas(&tokens) {
            match piece {
                [TokenTree::Ident(marker), kernel @ ..] if marker == SIBLING_MARKER => {
                    arguments.has_siblings = true;
                    arguments.kernels_above.extend(kernel.get(1..).and_then(evaluate_text));
                }
                _ => arguments.parse_one(piece, diagnostics),
            }
        }
        arguments
    }

    /// Returns the argument with a key.
    pub(crate) fn get(&self, key: Key) -> Option<&Arg> {
        self.list.iter().find(|argument| argument.key == key)
    }

    /// Returns whether a key is declared, or may be what a misspelled one stands for.
    pub(crate) fn may_have(&self, key: Key) -> bool {
        self.is_incomplete || self.get(key).is_some() || self.suspected.contains(&key)
    }

    /// Returns all arguments.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arg> {
        self.list.iter()
    }

    /// Returns the kernel that the attribute names.
    pub(crate) fn kernel(&self) -> Option<String> {
        evaluate_text(&self.get(Key::Kernel)?.value)
    }

    /// Returns where arguments are declared, in the model's terms.
    pub(crate) fn places(&self) -> Vec<(Argument, TokenRange)> {
        self.list.iter().filter_map(|argument| Some((argument.key.row().argument?, argument.range))).collect()
    }

    /// Returns the same arguments with other tokens as their values; the ranges stay.
    pub(crate) fn map_values(&self, change: &dyn Fn(&[TokenTree]) -> Vec<TokenTree>) -> Arguments {
        Arguments {
            list: self.list.iter().map(|argument| argument.with(change(&argument.value))).collect(),
            suspected: self.suspected.clone(),
            kernels_above: self.kernels_above.clone(),
            ..*self
        }
    }

    fn parse_one(&mut self, piece: &[TokenTree], diagnostics: &mut Diagnostics) {
        let Some((first, rest)) = piece.split_first() else {
            return;
        };
        let range_to = |last: &TokenTree| TokenRange { first: first.span(), last: last.span() };
        let TokenTree::Ident(name) = first else {
            diagnostics.push(messages::expected_argument(range_to(&piece[piece.len() - 1])));
            self.is_incomplete = true;
            return;
        };
        let (form, value) = match rest {
            [] => (Form::Flag, &[] as &[TokenTree]),
            [TokenTree::Punct(equals), value @ ..]
                if equals.as_char() == '=' && !(equals.spacing() == Spacing::Joint && is_operator(value.first())) =>
            {
                if value.is_empty() {
                    diagnostics.push(messages::missing_value(range_to(&rest[0]), name));
                    self.suspect(name);
                    return;
                }
                let end = end_of_value(value, diagnostics);
                self.parse_one(&value[end..], diagnostics);
                (Form::Value, &value[..end])
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => (Form::Call, rest),
            [unexpected, ..] => {
                let range = TokenRange { first: unexpected.span(), last: rest[rest.len() - 1].span() };
                diagnostics.push(messages::expected_comma_or_value(range, name));
                self.suspect(name);
                return;
            }
        };
        self.add(name, form, value, diagnostics);
    }

    fn add(&mut self, name: &Ident, form: Form, value: &[TokenTree], diagnostics: &mut Diagnostics) {
        let text = name.to_string();
        let key_range = TokenRange::at(name.span());
        let Some(key) = Key::find(&text) else {
            self.suspect(name);
            let known: Vec<&str> = KEYS.iter().map(|row| row.key.name()).collect();
            let error = messages::unknown_argument(key_range, name);
            diagnostics.push(match did_you_mean(&text, &known) {
                Some(nearest) => error.help(messages::did_you_mean(nearest)),
                None => error.note(messages::known_arguments(messages::names(known))),
            });
            return;
        };
        if !accepts(key.row().kind, form) {
            let meaning = key.row().meaning.trim();
            diagnostics.push(messages::wrong_form(key_range, name, key.example(), meaning));
            self.suspected.push(key);
        } else if self.get(key).is_some() {
            diagnostics.push(messages::duplicate_argument(key_range, name));
        } else {
            let range = TokenRange::of(value).unwrap_or(key_range);
            self.list.push(Arg { key, key_range, value: value.to_vec(), range });
        }
    }

    /// Remembers which key a misspelled one probably stands for.
    fn suspect(&mut self, name: &Ident) {
        let known: Vec<&str> = KEYS.iter().map(|row| row.key.name()).collect();
        self.suspected.extend(did_you_mean(&name.to_string(), &known).and_then(Key::find));
    }
}

/// Returns whether a value of a kind can be written in a form.
fn accepts(kind: ValueKind, form: Form) -> bool {
    match kind {
        ValueKind::Names => matches!(form, Form::Value | Form::Call),
        ValueKind::Instances => matches!(form, Form::Call),
        ValueKind::Flag => matches!(form, Form::Flag),
        _ => matches!(form, Form::Value),
    }
}

/// Returns the length of a value, which ends before a `key =` that follows without a comma. That is reported.
fn end_of_value(value: &[TokenTree], diagnostics: &mut Diagnostics) -> usize {
    let next = value.windows(2).skip(1).position(|pair| match pair {
        [TokenTree::Ident(name), equals] => is_punct(equals, '=') && Key::find(&name.to_string()).is_some(),
        _ => false,
    });
    let Some(next) = next else {
        return value.len();
    };
    diagnostics.push(messages::expected_comma(TokenRange::at(value[next + 1].span())));
    next + 1
}

fn is_operator(token: Option<&TokenTree>) -> bool {
    token.is_some_and(|token| is_punct(token, '=') || is_punct(token, '>'))
}

//! `instances(N = [64, 128])`: values of generic parameters for which a function is checked before anyone calls it.

use crate::arguments::Arguments;
use crate::diagnostics::{Diagnostic, Diagnostics, TokenRange};
use crate::item::{GenericParameter, Item, Kind};
use crate::keys::Key;
use crate::messages;
use crate::tokens::{MemberTracker, comma_separated, is_punct, split_at_commas, ungrouped};
use crate::value::{Evaluated, evaluate};
use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// Maximum number of combinations.
const MAX_INSTANCES: usize = 1024;

/// One combination of values for a function's parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    values: Vec<(String, TokenStream)>,
    /// Its name in messages: `N = 64, T = f32`.
    pub(crate) name: String,
}

impl Instance {
    /// Returns every combination that the attribute lists; none if it lists nothing or there is a mistake.
    pub(crate) fn read(arguments: &Arguments, item: &Item, diagnostics: &mut Diagnostics) -> Vec<Instance> {
        let Some(argument) = arguments.get(Key::Instances) else {
            return Vec::new();
        };
        let generics = match &item.kind {
            Kind::Function { generics, .. } => generics.as_slice(),
            _ => &[],
        };
        let mut instances = vec![Instance::default()];
        let inside: Vec<TokenTree> = match &argument.value[..] {
            [TokenTree::Group(group)] => group.stream().into_iter().collect(),
            _ => Vec::new(),
        };
        if inside.is_empty() {
            diagnostics.push(messages::empty_instances(argument.range));
        }
        let mut seen = Vec::new();
        for piece in split_at_commas(&inside) {
            let range = TokenRange::of(piece).unwrap_or(argument.range);
            let Some((parameter, values)) = diagnostics.ok(parameter(piece, generics, range)) else {
                continue;
            };
            if seen.contains(&&parameter.name) {
                diagnostics.push(messages::duplicate_parameter(range, &parameter.name));
                continue;
            }
            seen.push(&parameter.name);
            for value in &values {
                if let Some(error) = wrong_type(parameter, value) {
                    diagnostics.push(error);
                }
            }
            let count = instances.len().saturating_mul(values.len());
            if count > MAX_INSTANCES {
                diagnostics.push(messages::too_many_instances(argument.range, count, MAX_INSTANCES));
                return Vec::new();
            }
            instances = instances
                .iter()
                .flat_map(|instance| values.iter().map(|value| instance.and(parameter, value)))
                .collect();
        }
        if diagnostics.is_empty() { instances } else { Vec::new() }
    }

    /// Returns the instance that replaces `Self` by a unit struct's own name.
    pub(crate) fn of_struct(item: &Item) -> Instance {
        let name = TokenTree::Ident(item.name.clone()).into();
        Instance { values: vec![("Self".to_owned(), name)], name: String::new() }
    }

    /// Returns the instance with the value of one more parameter.
    fn and(&self, parameter: &GenericParameter, value: &[TokenTree]) -> Instance {
        let mut instance = self.clone();
        let text = value.iter().cloned().collect::<TokenStream>().to_string();
        let comma = if instance.name.is_empty() { "" } else { ", " };
        instance.name = format!("{}{comma}{} = {text}", self.name, parameter.name);
        instance.values.push((parameter.name.clone(), typed(parameter, value)));
        instance
    }

    /// Returns the arguments with the parameters replaced by this instance's values.
    pub(crate) fn substitute(&self, arguments: &Arguments) -> Arguments {
        arguments.map_values(&|tokens| self.substitute_in(tokens.iter().cloned().collect()).into_iter().collect())
    }

    fn substitute_in(&self, tokens: TokenStream) -> TokenStream {
        let mut result = TokenStream::new();
        let mut members = MemberTracker::default();
        for token in tokens {
            let is_member = members.is_next();
            members.advance(&token);
            match token {
                TokenTree::Ident(ident) if !is_member => {
                    let name = ident.to_string();
                    match self.values.iter().find(|(parameter, _)| *parameter == name) {
                        // An error about the value points at the parameter.
                        Some((_, value)) => result.extend(value.clone().into_iter().map(|mut token| {
                            token.set_span(ident.span());
                            token
                        })),
                        None => result.extend([TokenTree::Ident(ident)]),
                    }
                }
                TokenTree::Group(group) => {
                    let mut inside = Group::new(group.delimiter(), self.substitute_in(group.stream()));
                    inside.set_span(group.span());
                    result.extend([TokenTree::Group(inside)]);
                }
                other => result.extend([other]),
            }
        }
        result
    }
}

/// Returns the parameter and the values in `N = [64, 128]`.
fn parameter<'g>(
    piece: &[TokenTree],
    generics: &'g [GenericParameter],
    at: TokenRange,
) -> Result<(&'g GenericParameter, Vec<Vec<TokenTree>>), Diagnostic> {
    let (name, list) = match piece {
        [TokenTree::Ident(name), equals, TokenTree::Group(list)]
            if is_punct(equals, '=') && list.delimiter() == Delimiter::Bracket =>
        {
            (name.to_string(), list)
        }
        _ => return Err(messages::expected_parameter(at)),
    };
    let Some(parameter) = generics.iter().find(|parameter| parameter.name == name) else {
        let known = messages::names(generics.iter().map(|parameter| &parameter.name));
        let note = if known.is_empty() { messages::not_generic() } else { messages::known_parameters(known) };
        return Err(messages::unknown_parameter(at, name).note(note));
    };
    let values = comma_separated(list);
    if values.is_empty() {
        return Err(messages::parameter_without_values(at, &name));
    }
    Ok((parameter, values))
}

/// Returns an error at a literal that is not a value of the parameter's type.
fn wrong_type(parameter: &GenericParameter, value: &[TokenTree]) -> Option<Diagnostic> {
    let const_type = parameter.const_type.as_ref()?.to_string();
    let value = ungrouped(value);
    let [TokenTree::Literal(literal)] = &value[..] else {
        return None;
    };
    let number = match evaluate(&value) {
        Ok(Evaluated::Integer(number)) => Some(number),
        _ => None,
    };
    let is_right = match integer_type(&const_type) {
        Some((is_signed, bits)) => {
            let range = if is_signed { -(1 << (bits - 1))..1 << (bits - 1) } else { 0..1 << bits };
            number.is_some_and(|number| range.contains(&number))
        }
        None => number.is_none() || !matches!(const_type.as_str(), "bool" | "char"),
    };
    (!is_right).then(|| messages::wrong_type(TokenRange::at(literal.span()), literal, &const_type, &parameter.name))
}

/// Returns whether an integer type is signed, and its bits; at most 64.
fn integer_type(name: &str) -> Option<(bool, u32)> {
    let bits = match name.get(1..)? {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" | "size" => 64,
        _ => return None,
    };
    matches!(name.as_bytes()[0], b'u' | b'i').then_some((name.starts_with('i'), bits))
}

/// Returns a value with the type of its parameter, as one token if it is a literal.
fn typed(parameter: &GenericParameter, value: &[TokenTree]) -> TokenStream {
    let Some(const_type) = &parameter.const_type else {
        return value.iter().cloned().collect();
    };
    let value = ungrouped(value);
    let const_type = const_type.to_string();
    if let ([TokenTree::Literal(literal)], Some((false, _))) = (&value[..], integer_type(&const_type))
        && let Ok(number) = literal.to_string().replace('_', "").parse::<u64>()
        && let Ok(literal) = format!("{number}{const_type}").parse::<Literal>()
    {
        return TokenTree::Literal(literal).into();
    }
    TokenTree::Group(Group::new(Delimiter::Parenthesis, value.into_iter().collect())).into()
}

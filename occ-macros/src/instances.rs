//! `instances(N = [64, 128])`: the values for which a generic function is checked before anyone calls it.

use crate::arguments::{Arguments, Key, is_punct, split_at_commas};
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::item::{GenericParameter, Item, Kind};
use crate::value::{Path, Written, evaluate, visible};
use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// Most combinations of values.
const MOST: usize = 1024;

/// One combination of values for a function's parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    values: Vec<(String, TokenStream)>,
    /// How it is called in messages: `N = 64, T = f32`.
    pub(crate) name: String,
}

impl Instance {
    /// Every combination the attribute lists; none where it lists nothing or something is wrong with it.
    pub(crate) fn read(arguments: &Arguments, item: &Item, diagnostics: &mut Diagnostics) -> Vec<Instance> {
        let Some(given) = arguments.get(Key::Instances) else {
            return Vec::new();
        };
        let generics = match &item.kind {
            Kind::Function { generics, .. } => generics.as_slice(),
            _ => &[],
        };
        let mut instances = vec![Instance::default()];
        let inside: Vec<TokenTree> = match &given.value[..] {
            [TokenTree::Group(group)] => group.stream().into_iter().collect(),
            _ => Vec::new(),
        };
        if inside.is_empty() {
            diagnostics.error(given.ends, "`instances` lists nothing: write `instances(N = [64, 128])`");
        }
        let mut seen = Vec::new();
        for piece in split_at_commas(&inside) {
            match parameter(piece, generics) {
                Ok((parameter, _)) if seen.contains(&&parameter.name) => {
                    let ends = Ends::of(piece).unwrap_or(given.ends);
                    diagnostics.error(ends, format!("`{}` is given twice", parameter.name));
                }
                Ok((parameter, values)) => {
                    seen.push(&parameter.name);
                    for value in &values {
                        if let Some(error) = wrong_type(parameter, value) {
                            diagnostics.push(error);
                        }
                    }
                    let all = instances.len().saturating_mul(values.len());
                    if all > MOST {
                        let text = format!("`instances` makes {all} combinations, at most {MOST} are checked");
                        diagnostics.error(given.ends, text);
                        return Vec::new();
                    }
                    instances = instances
                        .iter()
                        .flat_map(|instance| values.iter().map(|value| instance.and(parameter, value)))
                        .collect();
                }
                Err(mut error) => {
                    error.ends = Ends::of(piece).unwrap_or(given.ends);
                    diagnostics.push(error);
                }
            }
        }
        if diagnostics.is_empty() { instances } else { Vec::new() }
    }

    /// A unit struct's own name in the place of `Self`.
    pub(crate) fn of_struct(item: &Item) -> Instance {
        let name = TokenTree::Ident(item.name.clone()).into();
        Instance { values: vec![("Self".to_owned(), name)], name: String::new() }
    }

    fn and(&self, parameter: &GenericParameter, value: &[TokenTree]) -> Instance {
        let mut instance = self.clone();
        let text = value.iter().cloned().collect::<TokenStream>().to_string();
        let comma = if instance.name.is_empty() { "" } else { ", " };
        instance.name = format!("{}{comma}{} = {text}", self.name, parameter.name);
        instance.values.push((parameter.name.clone(), typed(parameter, value)));
        instance
    }

    /// The arguments with this instance's values in the place of the parameters.
    pub(crate) fn substitute(&self, arguments: &Arguments) -> Arguments {
        arguments.map_values(&|tokens| self.substitute_in(tokens.iter().cloned().collect()).into_iter().collect())
    }

    fn substitute_in(&self, tokens: TokenStream) -> TokenStream {
        let mut result = TokenStream::new();
        let mut path = Path::default();
        for token in tokens {
            let is_member = path.at_member();
            path.follow(&token);
            match token {
                TokenTree::Ident(ident) if !is_member => {
                    let name = ident.to_string();
                    match self.values.iter().find(|(parameter, _)| *parameter == name) {
                        // The value takes the parameter's place in the code too: that is where an error points.
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

/// The parameter and the values in `N = [64, 128]`.
fn parameter<'g>(
    piece: &[TokenTree],
    generics: &'g [GenericParameter],
) -> Result<(&'g GenericParameter, Vec<Vec<TokenTree>>), Diagnostic> {
    let nowhere = Ends::one(proc_macro2::Span::call_site());
    let wrong_form = || Diagnostic::new(nowhere, "expected a parameter and its values").help("such as `N = [64, 128]`");
    let [TokenTree::Ident(name), equals, TokenTree::Group(list)] = piece else {
        return Err(wrong_form());
    };
    if !is_punct(equals, '=') || list.delimiter() != Delimiter::Bracket {
        return Err(wrong_form());
    }
    let name = name.to_string();
    let Some(parameter) = generics.iter().find(|parameter| parameter.name == name) else {
        let error = Diagnostic::new(nowhere, format!("the function has no parameter `{name}`"));
        let names: Vec<String> = generics.iter().map(|parameter| format!("`{}`", parameter.name)).collect();
        return Err(if names.is_empty() {
            error.note("`instances` is for generic functions")
        } else {
            error.note(&format!("its parameters are {}", names.join(", ")))
        });
    };
    let list: Vec<TokenTree> = list.stream().into_iter().collect();
    let values: Vec<Vec<TokenTree>> = split_at_commas(&list).into_iter().map(<[TokenTree]>::to_vec).collect();
    if values.is_empty() {
        return Err(Diagnostic::new(nowhere, format!("`{name}` has no values: nothing would be checked")));
    }
    Ok((parameter, values))
}

/// An error at a literal that cannot be a value of an integer parameter.
fn wrong_type(parameter: &GenericParameter, value: &[TokenTree]) -> Option<Diagnostic> {
    let const_type = parameter.const_type.as_ref()?.to_string();
    let value = visible(value);
    let [TokenTree::Literal(literal)] = &value[..] else {
        return None;
    };
    let number = match evaluate(&value) {
        Ok(Written::Integer(number)) => Some(number),
        _ => None,
    };
    let fits = |bits: u32, signed: bool| {
        let (least, most) = if signed { (-(1 << (bits - 1)), 1 << (bits - 1)) } else { (0, 1 << bits) };
        number.is_some_and(|number| (least..most).contains(&number))
    };
    let is_right = match const_type.as_str() {
        "u8" => fits(8, false),
        "u16" => fits(16, false),
        "u32" => fits(32, false),
        "u64" | "usize" => fits(64, false),
        "i8" => fits(8, true),
        "i16" => fits(16, true),
        "i32" => fits(32, true),
        "i64" | "isize" => fits(64, true),
        "bool" | "char" => number.is_none(),
        _ => true,
    };
    let text = format!("`{}` is a `{const_type}`, which `{literal}` is not", parameter.name);
    (!is_right).then(|| Diagnostic::new(Ends::one(literal.span()), text))
}

/// A value with the type its parameter has, as one token where it is a literal.
fn typed(parameter: &GenericParameter, value: &[TokenTree]) -> TokenStream {
    let Some(const_type) = &parameter.const_type else {
        return value.iter().cloned().collect();
    };
    let value = visible(value);
    let const_type = const_type.to_string();
    if let [TokenTree::Literal(literal)] = &value[..]
        && let Ok(number) = literal.to_string().replace('_', "").parse::<u64>()
        && let Some(literal) = suffixed(number, &const_type)
    {
        return TokenTree::Literal(literal).into();
    }
    TokenTree::Group(Group::new(Delimiter::Parenthesis, value.into_iter().collect())).into()
}

fn suffixed(number: u64, const_type: &str) -> Option<Literal> {
    match const_type {
        "u8" => u8::try_from(number).ok().map(Literal::u8_suffixed),
        "u16" => u16::try_from(number).ok().map(Literal::u16_suffixed),
        "u32" => u32::try_from(number).ok().map(Literal::u32_suffixed),
        "u64" => Some(Literal::u64_suffixed(number)),
        "usize" => usize::try_from(number).ok().map(Literal::usize_suffixed),
        _ => None,
    }
}

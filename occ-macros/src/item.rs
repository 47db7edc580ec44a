//! The item under the attribute: its attributes, signature and raw body. The body is never parsed.

use crate::arguments::{Arguments, ONE_OF_SEVERAL};
use crate::diagnostics::Ends;
use crate::regroup::{kept, regrouped};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A type or const parameter of a generic function.
#[derive(Clone, Debug)]
pub(crate) struct GenericParameter {
    pub(crate) name: String,
    /// The type of a const parameter.
    pub(crate) const_type: Option<TokenStream>,
}

/// What the attribute stands on.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A function with a body, and the parameters it is generic over.
    Function { is_const: bool, generics: Vec<GenericParameter>, body: Group },
    /// `struct Name;`
    UnitStruct,
    /// Anything else, and what is wrong with it.
    Other { ends: Ends, what: &'static str },
}

/// An item, its tokens untouched.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) tokens: TokenStream,
    pub(crate) visibility: TokenStream,
    /// The arguments of other attributes of ours below this one.
    pub(crate) siblings: Vec<TokenStream>,
    pub(crate) name: Ident,
    pub(crate) kind: Kind,
}

impl Item {
    /// The item under the attribute with these arguments.
    pub(crate) fn parse(tokens: TokenStream, arguments: &Arguments) -> Item {
        let mut list: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let siblings = mark_siblings(&mut list, arguments.kernel().as_deref());
        let tokens = if siblings.is_empty() { tokens } else { list.iter().cloned().collect() };
        let mut at = after_attributes(&list);
        let start = at;
        at = after_visibility(&list, at);
        let visibility = list[start..at].iter().cloned().collect();
        let mut item = Item {
            tokens,
            visibility,
            siblings,
            name: Ident::new("launch", list.first().map_or_else(Span::call_site, TokenTree::span)),
            kind: Kind::Other { ends: Ends::one(Span::call_site()), what: "nothing" },
        };
        item.kind = item.read_kind(&list, at);
        item
    }

    fn read_kind(&mut self, list: &[TokenTree], mut at: usize) -> Kind {
        let first = at;
        let mut is_const = false;
        while let Some(token) = list.get(at) {
            match token {
                TokenTree::Ident(ident) => match ident.to_string().as_str() {
                    "fn" => return self.read_function(list, at, is_const),
                    "struct" => return self.read_struct(list, at),
                    "const" => is_const = true,
                    "async" | "unsafe" | "safe" | "extern" | "default" | "gen" => {}
                    _ => break,
                },
                // The ABI of an `extern` function.
                TokenTree::Literal(_) => {}
                _ => break,
            }
            at += 1;
        }
        let span = list.get(first).map_or_else(Span::call_site, TokenTree::span);
        Kind::Other { ends: Ends::one(span), what: "this item" }
    }

    fn read_function(&mut self, list: &[TokenTree], at: usize, is_const: bool) -> Kind {
        let keyword = list[at].span();
        let Some(TokenTree::Ident(name)) = list.get(at + 1) else {
            return Kind::Other { ends: Ends::one(keyword), what: "this item" };
        };
        self.name = name.clone();
        match list.last().and_then(braced) {
            Some(body) => Kind::Function { is_const, generics: generic_parameters(&list[at + 2..]), body },
            None => Kind::Other { ends: Ends::one(name.span()), what: "a function without a body" },
        }
    }

    fn read_struct(&mut self, list: &[TokenTree], at: usize) -> Kind {
        let keyword = list[at].span();
        let Some(TokenTree::Ident(name)) = list.get(at + 1) else {
            return Kind::Other { ends: Ends::one(keyword), what: "this item" };
        };
        self.name = name.clone();
        match list.get(at + 2..) {
            Some([TokenTree::Punct(end)]) if end.as_char() == ';' => Kind::UnitStruct,
            _ => Kind::Other { ends: Ends::one(name.span()), what: "a struct other than `struct Name;`" },
        }
    }

    /// Its name without the `r#` of a raw identifier.
    pub(crate) fn plain_name(&self) -> String {
        let name = self.name.to_string();
        name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
    }

    /// The item with `extra` at the beginning of its body; behind the item where it has none.
    pub(crate) fn with(&self, extra: TokenStream) -> TokenStream {
        match &self.kind {
            _ if extra.is_empty() => self.tokens.clone(),
            Kind::Function { body, .. } => self.with_body(body, extra),
            _ => {
                let mut tokens = self.tokens.clone();
                tokens.extend(extra);
                tokens
            }
        }
    }

    /// The function with another body, and `extra` at its beginning.
    pub(crate) fn with_body(&self, body: &Group, extra: TokenStream) -> TokenStream {
        let inside: Vec<TokenTree> = body.stream().into_iter().collect();
        let stream = match after_inner_attributes(&inside) {
            0 => [extra, body.stream()].into_iter().collect(),
            start => {
                let mut stream: TokenStream = inside[..start].iter().cloned().collect();
                stream.extend(extra);
                stream.extend(inside[start..].iter().cloned().map(kept));
                stream
            }
        };
        let mut list: Vec<TokenTree> = self.tokens.clone().into_iter().collect();
        if let Some(last) = list.last_mut() {
            *last = TokenTree::Group(regrouped(body, stream));
        }
        list.into_iter().collect()
    }
}

/// A body in braces, also as a fragment of `macro_rules!`.
fn braced(token: &TokenTree) -> Option<Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.clone()),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let mut inside = group.stream().into_iter();
            let body = braced(&inside.next()?);
            if inside.next().is_none() { body } else { None }
        }
        _ => None,
    }
}

/// Marks the other attributes of ours on an item as those below one that names `kernel`, and returns their arguments.
fn mark_siblings(list: &mut [TokenTree], kernel: Option<&str>) -> Vec<TokenStream> {
    let end = after_attributes(list);
    let mut siblings = Vec::new();
    for token in &mut list[..end] {
        let TokenTree::Group(attribute) = token else {
            continue;
        };
        let mut inside: Vec<TokenTree> = attribute.stream().into_iter().collect();
        let [.., TokenTree::Ident(name), TokenTree::Group(arguments)] = &mut inside[..] else {
            continue;
        };
        if name != "launch_config" {
            continue;
        }
        let mut stream = arguments.stream();
        siblings.push(stream.clone());
        stream.extend([
            TokenTree::Punct(Punct::new(',', Spacing::Alone)),
            TokenTree::Ident(Ident::new(ONE_OF_SEVERAL, arguments.span())),
        ]);
        if let Some(kernel) = kernel {
            let mut name = Literal::string(kernel);
            name.set_span(arguments.span());
            stream.extend([TokenTree::Punct(Punct::new('=', Spacing::Alone)), TokenTree::Literal(name)]);
        }
        *arguments = regrouped(arguments, stream);
        *attribute = regrouped(attribute, inside.into_iter().collect());
    }
    siblings
}

fn is_bracket(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket)
}

fn is_punct_at(list: &[TokenTree], at: usize, character: char) -> bool {
    list.get(at).is_some_and(|token| crate::arguments::is_punct(token, character))
}

fn after_attributes(list: &[TokenTree]) -> usize {
    let mut at = 0;
    while is_punct_at(list, at, '#') && is_bracket(list.get(at + 1)) {
        at += 2;
    }
    at
}

/// Inner attributes must stay the first in a body.
fn after_inner_attributes(list: &[TokenTree]) -> usize {
    let mut at = 0;
    while is_punct_at(list, at, '#') && is_punct_at(list, at + 1, '!') && is_bracket(list.get(at + 2)) {
        at += 3;
    }
    at
}

fn after_visibility(list: &[TokenTree], at: usize) -> usize {
    match (list.get(at), list.get(at + 1)) {
        // `pub(crate)`, or `pub` as a fragment of `macro_rules!`.
        (Some(TokenTree::Ident(ident)), Some(TokenTree::Group(group)))
            if ident == "pub" && group.delimiter() == Delimiter::Parenthesis =>
        {
            at + 2
        }
        (Some(TokenTree::Ident(ident)), _) if ident == "pub" => at + 1,
        (Some(TokenTree::Group(group)), _) if group.delimiter() == Delimiter::None => at + 1,
        _ => at,
    }
}

/// The type and const parameters in `<..>` behind a function's name.
fn generic_parameters(list: &[TokenTree]) -> Vec<GenericParameter> {
    let mut parameters = Vec::new();
    if !is_punct_at(list, 0, '<') {
        return parameters;
    }
    let mut depth = 0usize;
    let mut at = 0;
    let mut starts_parameter = false;
    while let Some(token) = list.get(at) {
        match token {
            TokenTree::Punct(punct) => match punct.as_char() {
                '<' => {
                    depth += 1;
                    starts_parameter = depth == 1;
                }
                '>' if is_punct_at(list, at.wrapping_sub(1), '-') => {}
                '>' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                ',' if depth == 1 => starts_parameter = true,
                // A lifetime is a quote and a name.
                '\'' => {
                    at += 1;
                    starts_parameter = false;
                }
                _ => {}
            },
            TokenTree::Ident(ident) if starts_parameter => {
                starts_parameter = false;
                if ident == "const" {
                    if let Some(TokenTree::Ident(name)) = list.get(at + 1) {
                        parameters.push(GenericParameter {
                            name: name.to_string(),
                            const_type: Some(const_type(&list[at + 2..])),
                        });
                    }
                } else {
                    parameters.push(GenericParameter { name: ident.to_string(), const_type: None });
                }
            }
            _ => {}
        }
        at += 1;
    }
    parameters
}

/// The type in `: usize = 3, ..`.
fn const_type(list: &[TokenTree]) -> TokenStream {
    list.iter()
        .skip(1)
        .take_while(|token| !matches!(token, TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | '>' | '=')))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &str) -> Item {
        Item::parse(source.parse().unwrap(), &Arguments::default())
    }

    #[test]
    fn functions() {
        for source in [
            "fn k() {}",
            "#[kernel] #[doc = \"x\"] pub(crate) unsafe extern \"ptx-kernel\" fn k(x: *mut f32) where u8: Copy { x; }",
            "pub async fn k<'a, T: Into<Vec<u8>>, const N: usize>(f: fn() -> T) -> Result<(), T> {}",
            "const fn k() {}",
        ] {
            let item = parse(source);
            assert_eq!(item.name, "k", "{source}");
            assert!(matches!(item.kind, Kind::Function { .. }), "{source}: {:?}", item.kind);
        }
        assert_eq!(parse("pub(crate) fn k() {}").visibility.to_string(), "pub (crate)");
    }

    #[test]
    fn parameters() {
        let item = parse("fn k<'a, T: Fn(u8) -> u8, const N: usize, U, const M: u32 = 4>(x: &'a T) {}");
        let Kind::Function { generics, .. } = item.kind else { panic!("not a function") };
        let names: Vec<(&str, Option<String>)> =
            generics.iter().map(|p| (p.name.as_str(), p.const_type.as_ref().map(ToString::to_string))).collect();
        assert_eq!(names, [("T", None), ("N", Some("usize".to_owned())), ("U", None), ("M", Some("u32".to_owned()))]);
    }

    #[test]
    fn other_items() {
        assert!(matches!(parse("pub struct S;").kind, Kind::UnitStruct));
        for source in [
            "struct S { x: u8 }",
            "struct S(u8);",
            "enum E {}",
            "mod m {}",
            "fn f();",
            "",
            "?!",
            "impl S {}",
            "fn",
            "struct",
        ] {
            assert!(matches!(parse(source).kind, Kind::Other { .. }), "{source}");
        }
    }

    #[test]
    fn extra_tokens_go_behind_inner_attributes() {
        let item = parse("fn k() { #![allow(unused)] let x = 1; }");
        let with = item.with("const _: () = ();".parse().unwrap()).to_string();
        assert!(with.contains("unused)] const _ : () = () ; let x"), "{with}");
    }
}

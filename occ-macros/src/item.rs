//! The item under the attribute: its attributes, signature and raw body. The body is never parsed.

use crate::arguments::{Arguments, SIBLING_MARKER};
use crate::diagnostics::TokenRange;
use crate::regroup::{preserve_fragment, with_stream};
use crate::tokens::{is_punct, unraw};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{GenericParam, Generics};

/// A type or const parameter of a generic function.
#[derive(Clone, Debug)]
pub(crate) struct GenericParameter {
    pub(crate) name: String,
    /// Type of a const parameter.
    pub(crate) const_type: Option<TokenStream>,
}

/// What the attribute is applied to.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A function with a body.
    Function { is_const: bool, generics: Vec<GenericParameter>, body: Group },
    /// `struct Name;`
    UnitStruct,
    /// Anything else, as a noun phrase.
    Other { range: TokenRange, what: &'static str },
}

/// An item with its tokens unchanged.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) tokens: TokenStream,
    pub(crate) visibility: TokenStream,
    /// Arguments of the `launch_config` attributes below this one.
    pub(crate) siblings: Vec<TokenStream>,
    pub(crate) name: Ident,
    pub(crate) kind: Kind,
}

impl Item {
    /// Reads the item under the attribute with these arguments, and marks its other `launch_config` attributes.
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
            kind: Kind::Other { range: TokenRange::at(Span::call_site()), what: "nothing" },
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
        Kind::Other { range: TokenRange::at(span), what: "this item" }
    }

    fn read_function(&mut self, list: &[TokenTree], at: usize, is_const: bool) -> Kind {
        let keyword = list[at].span();
        let Some(TokenTree::Ident(name)) = list.get(at + 1) else {
            return Kind::Other { range: TokenRange::at(keyword), what: "this item" };
        };
        self.name = name.clone();
        match list.last().and_then(braced) {
            Some(body) => {
                let generics = generic_parameters(&list[at + 2..list.len() - 1]);
                Kind::Function { is_const, generics, body }
            }
            None => Kind::Other { range: TokenRange::at(name.span()), what: "a function without a body" },
        }
    }

    fn read_struct(&mut self, list: &[TokenTree], at: usize) -> Kind {
        let keyword = list[at].span();
        let Some(TokenTree::Ident(name)) = list.get(at + 1) else {
            return Kind::Other { range: TokenRange::at(keyword), what: "this item" };
        };
        self.name = name.clone();
        match list.get(at + 2..) {
            Some([TokenTree::Punct(end)]) if end.as_char() == ';' => Kind::UnitStruct,
            _ => Kind::Other { range: TokenRange::at(name.span()), what: "a struct other than `struct Name;`" },
        }
    }

    /// Returns its name without the `r#` of a raw identifier.
    pub(crate) fn plain_name(&self) -> String {
        unraw(&self.name)
    }

    /// Returns the item with `extra` at the beginning of its body, or behind it if it has none.
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

    /// Returns the function with another body, and `extra` at the beginning of that.
    pub(crate) fn with_body(&self, body: &Group, extra: TokenStream) -> TokenStream {
        let inside: Vec<TokenTree> = body.stream().into_iter().collect();
        let stream = match after_inner_attributes(&inside) {
            0 => [extra, body.stream()].into_iter().collect(),
            start => {
                let mut stream: TokenStream = inside[..start].iter().cloned().collect();
                stream.extend(extra);
                stream.extend(inside[start..].iter().cloned().map(preserve_fragment));
                stream
            }
        };
        let mut list: Vec<TokenTree> = self.tokens.clone().into_iter().collect();
        if let Some(last) = list.last_mut() {
            *last = TokenTree::Group(with_stream(body, stream));
        }
        list.into_iter().collect()
    }
}

/// Returns a body in braces, also from a fragment of `macro_rules!`.
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

/// Marks the `launch_config` attributes of an item as siblings of one that names `kernel`, and returns their arguments.
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
            TokenTree::Ident(Ident::new(SIBLING_MARKER, arguments.span())),
        ]);
        if let Some(kernel) = kernel {
            let mut name = Literal::string(kernel);
            name.set_span(arguments.span());
            stream.extend([TokenTree::Punct(Punct::new('=', Spacing::Alone)), TokenTree::Literal(name)]);
        }
        *arguments = with_stream(arguments, stream);
        *attribute = with_stream(attribute, inside.into_iter().collect());
    }
    siblings
}

fn is_bracket(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket)
}

fn is_punct_at(list: &[TokenTree], at: usize, character: char) -> bool {
    list.get(at).is_some_and(|token| is_punct(token, character))
}

fn after_attributes(list: &[TokenTree]) -> usize {
    let mut at = 0;
    while is_punct_at(list, at, '#') && is_bracket(list.get(at + 1)) {
        at += 2;
    }
    at
}

/// Returns the end of the inner attributes, which must stay the first in a body.
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

/// Returns the type and const parameters in `<..>`, at the beginning of the tokens behind a function's name.
fn generic_parameters(list: &[TokenTree]) -> Vec<GenericParameter> {
    if !is_punct_at(list, 0, '<') {
        return Vec::new();
    }
    let parser = |input: ParseStream<'_>| Ok((input.parse::<Generics>()?, input.parse::<TokenStream>()?));
    let parsed = parser.parse2(list.iter().cloned().collect());
    let parameters = parsed.into_iter().flat_map(|(generics, _)| generics.params);
    let parameter = |parameter| match parameter {
        GenericParam::Type(ty) => Some(GenericParameter { name: ty.ident.to_string(), const_type: None }),
        GenericParam::Const(constant) => {
            Some(GenericParameter { name: constant.ident.to_string(), const_type: Some(constant.ty.to_token_stream()) })
        }
        GenericParam::Lifetime(_) => None,
    };
    parameters.filter_map(parameter).collect()
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

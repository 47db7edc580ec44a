//! Feature `cust`: the launches of a body, guarded at run time.
//!
//! `cust::launch!(module.k<<<..>>>(..))` becomes `occ_runtime::__guarded!([cust::launch] [&SPEC] module.k<<<..>>>(..))`: one
//! macro call in the place of another, so it is valid wherever the launch was, and the user's `launch` stays in use.
//! All other tokens of the body stay as they are.

use crate::arguments::is_punct;
use crate::launch_site::{GUARDED, LaunchSite};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};

/// What guards the launches of one attribute.
pub(crate) struct Guard<'a> {
    /// Which launches the attribute is for.
    pub(crate) is_for: &'a dyn Fn(&LaunchSite) -> bool,
    /// Where `__guarded!` is.
    pub(crate) runtime: &'a TokenStream,
    /// A reference to the spec, as an expression.
    pub(crate) spec: &'a TokenStream,
    /// Whether the expression means something in functions inside of the function.
    pub(crate) in_inner_functions: bool,
}

impl Guard<'_> {
    /// The code with its launches guarded, or `None` if the attribute is for none of them.
    pub(crate) fn of(&self, code: &TokenStream) -> Option<TokenStream> {
        let mut output: Vec<TokenTree> = Vec::new();
        let mut is_changed = false;
        // `fn` and `macro_rules` up to the braces they lead to.
        let mut in_function = false;
        let mut in_macro = false;
        for token in code.clone() {
            if let TokenTree::Group(group) = token {
                let is_untouched = in_macro || in_function && !self.in_inner_functions;
                let ends_item = group.delimiter() == Delimiter::Brace;
                let guarded = if is_untouched { None } else { self.group(&mut output, &group) };
                is_changed |= guarded.is_some();
                output.push(guarded.unwrap_or(TokenTree::Group(group)));
                in_macro = false;
                in_function &= !ends_item;
                continue;
            }
            match (&token, output.last()) {
                (TokenTree::Ident(_), Some(TokenTree::Ident(keyword))) if keyword == "fn" => in_function = true,
                (TokenTree::Ident(_), Some(bang)) if is_punct(bang, '!') => {
                    in_macro =
                        matches!(output.iter().rev().nth(1), Some(TokenTree::Ident(name)) if name == "macro_rules");
                }
                // A declaration without a body.
                (token, _) if is_punct(token, ';') => in_function = false,
                _ => {}
            }
            output.push(token);
        }
        is_changed.then(|| output.into_iter().collect())
    }

    /// A group with the launches in it guarded; if it is a launch itself, `before` loses its path.
    fn group(&self, before: &mut Vec<TokenTree>, group: &Group) -> Option<TokenTree> {
        let stream = match before.as_slice() {
            [.., TokenTree::Ident(name), bang] if is_punct(bang, '!') && name == "launch" => {
                return match self.launch(before, group) {
                    Some(guarded) => Some(guarded),
                    None => self.inside(group),
                };
            }
            [.., TokenTree::Ident(name), bang] if is_punct(bang, '!') && name == GUARDED => {
                self.one_more_spec(group).or_else(|| self.of(&group.stream()))?
            }
            _ => return self.inside(group),
        };
        Some(with_stream(group, stream))
    }

    fn inside(&self, group: &Group) -> Option<TokenTree> {
        Some(with_stream(group, self.of(&group.stream())?))
    }

    /// `path launch ! (..)`, whose path and name are the last of `before`.
    fn launch(&self, before: &mut Vec<TokenTree>, group: &Group) -> Option<TokenTree> {
        let site: Vec<TokenTree> = group.stream().into_iter().collect();
        if !LaunchSite::parse(&site).is_some_and(|site| (self.is_for)(&site)) {
            return None;
        }
        let bang = before.pop()?;
        let path = before.split_off(start_of_path(before));
        if path.first().is_some_and(|token| is_punct(token, '$')) {
            // `$crate::launch!` means something in a macro only.
            before.extend(path);
            before.push(bang);
            return None;
        }
        let span = path.last().map_or_else(Span::call_site, TokenTree::span);
        before.extend(self.runtime.clone());
        before.extend([':', ':'].into_iter().zip([Spacing::Joint, Spacing::Alone]).map(|(colon, spacing)| {
            let mut colon = Punct::new(colon, spacing);
            colon.set_span(span);
            TokenTree::Punct(colon)
        }));
        before.push(TokenTree::Ident(Ident::new(GUARDED, span)));
        before.push(bang);
        let mut stream = TokenStream::new();
        stream.append(Group::new(Delimiter::Bracket, path.into_iter().collect()));
        stream.append(Group::new(Delimiter::Bracket, self.spec.clone()));
        stream.extend(site);
        Some(with_stream(group, stream))
    }

    /// A launch that another attribute has guarded, guarded by this one too.
    fn one_more_spec(&self, group: &Group) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let [path, TokenTree::Group(specs), site @ ..] = tokens.as_slice() else {
            return None;
        };
        if !LaunchSite::parse(site).is_some_and(|site| (self.is_for)(&site)) {
            return None;
        }
        let mut specs_and_one = specs.stream();
        specs_and_one.append(Punct::new(',', Spacing::Alone));
        specs_and_one.extend(self.spec.clone());
        let mut stream = path.to_token_stream();
        stream.append(with_stream(specs, specs_and_one));
        stream.extend(site.iter().cloned());
        Some(stream)
    }
}

/// Where the path begins whose last segment is the last token: at its first segment or the `::` before it.
fn start_of_path(tokens: &[TokenTree]) -> usize {
    let is_colons = |at: usize| at >= 2 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':');
    let mut start = tokens.len().saturating_sub(1);
    while is_colons(start) {
        match start.checked_sub(3).map(|at| &tokens[at]) {
            Some(TokenTree::Ident(segment)) if !is_keyword(segment) => start -= 3,
            _ => return start - 2,
        }
        if start > 0 && is_punct(&tokens[start - 1], '$') {
            return start - 1;
        }
    }
    start
}

/// Whether a word before `::` belongs to what is before the path: `return ::cust::launch!(..)`.
fn is_keyword(word: &Ident) -> bool {
    matches!(
        word.to_string().as_str(),
        "return" | "break" | "in" | "match" | "if" | "while" | "else" | "unsafe" | "move"
    )
}

fn with_stream(group: &Group, stream: TokenStream) -> TokenTree {
    let mut with_stream = Group::new(group.delimiter(), stream);
    with_stream.set_span(group.span());
    TokenTree::Group(with_stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn guarded(code: &str, in_inner_functions: bool) -> String {
        let guard = Guard {
            is_for: &|site| site.kernel.as_deref() != Some("other"),
            runtime: &quote!(::rt),
            spec: &quote!(&SPEC),
            in_inner_functions,
        };
        let code: TokenStream = code.parse().unwrap();
        guard.of(&code).map_or_else(|| "as it was".to_owned(), |code| code.to_string())
    }

    #[test]
    fn forms() {
        for (code, expected) in [
            ("launch!(m.k<<<1, 32, 0, s>>>(p))", "::rt::__guarded!([launch] [&SPEC] m.k<<<1, 32, 0, s>>>(p))"),
            (
                "cust::launch!{f<<<1, 32, 0, s>>>()}?;",
                "::rt::__guarded!{[cust::launch] [&SPEC] f<<<1, 32, 0, s>>>()}?;",
            ),
            (
                "return ::cust::launch![f<<<1, 32, 0, s>>>()]",
                "return ::rt::__guarded![[::cust::launch] [&SPEC] f<<<1, 32, 0, s>>>()]",
            ),
            (
                "x = unsafe { crate::a::launch!(f<<<1, 2, 0, s>>>()) }.map_err(e)?",
                "x = unsafe { ::rt::__guarded!([crate::a::launch] [&SPEC] f<<<1, 2, 0, s>>>()) }.map_err(e)?",
            ),
            (
                "vec![|| launch!(f<<<1, 2, 0, s>>>(a, b,))]",
                "vec![|| ::rt::__guarded!([launch] [&SPEC] f<<<1, 2, 0, s>>>(a, b,))]",
            ),
            (
                "rt::__guarded!([launch] [&A] f<<<1, 2, 0, s>>>())",
                "rt::__guarded!([launch] [&A, &SPEC] f<<<1, 2, 0, s>>>())",
            ),
            (
                "a; launch!(m.k<<<{ launch!(m.k<<<1, 2, 0, s>>>()); 1 }, 2, 0, s>>>())",
                "a; ::rt::__guarded!([launch] [&SPEC] m.k<<<{ launch!(m.k<<<1, 2, 0, s>>>()); 1 }, 2, 0, s>>>())",
            ),
        ] {
            let expected: TokenStream = expected.parse().unwrap();
            assert_eq!(guarded(code, true), expected.to_string(), "{code}");
        }
    }

    #[test]
    fn what_is_left_alone() {
        for code in [
            "launch!(m.other<<<1, 32, 0, s>>>(p))",
            "macro_rules! launch_it { () => { launch!(f<<<1, 32, 0, s>>>()) } }",
            "$crate::launch!(f<<<1, 32, 0, s>>>())",
            "launch(f); launch!(); launch!(f<<<1, 32>>>()); relaunch!(f<<<1, 32, 0, s>>>()); let launch = 1;",
            "rt::__guarded!([launch] [&A] m.other<<<1, 2, 0, s>>>())",
        ] {
            assert_eq!(guarded(code, true), "as it was", "{code}");
        }
        let inner = "fn inner() -> Result<()> { launch!(f<<<1, 32, 0, s>>>()) }";
        assert_eq!(guarded(inner, false), "as it was");
        assert_ne!(guarded(inner, true), "as it was");
        let pointer = "let f: fn(u8) = g; { launch!(f<<<1, 32, 0, s>>>()) }";
        assert_ne!(guarded(pointer, false), "as it was");
    }
}

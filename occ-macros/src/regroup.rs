//! Rebuilding token trees that were taken apart.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Expr;

/// Returns a group with other contents in the same place.
pub(crate) fn with_stream(group: &Group, stream: TokenStream) -> Group {
    let mut changed = Group::new(group.delimiter(), stream);
    changed.set_span(group.span());
    changed
}

/// Returns a token that is about to be put together with others, with visible parentheses if it is a fragment of
/// `macro_rules!` that needs them.
///
/// The compiler ignores invisible groups in the output of a macro: `!$e` with `a && b` would become `!a && b`.
pub(crate) fn preserve_fragment(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None && has_operator(&group) => {
            let mut visible = Group::new(Delimiter::Parenthesis, group.stream());
            // Not the user's parentheses: no lint may find them unnecessary.
            visible.set_span(Span::call_site());
            TokenTree::Group(visible)
        }
        token => token,
    }
}

/// Returns whether a fragment is an expression that its surroundings could split.
fn has_operator(fragment: &Group) -> bool {
    // A single token or group cannot be split.
    fragment.stream().into_iter().nth(1).is_some()
        && matches!(
            syn::parse2(fragment.stream()),
            Ok(Expr::Assign(_)
                | Expr::Binary(_)
                | Expr::Cast(_)
                | Expr::Closure(_)
                | Expr::Range(_)
                | Expr::Reference(_)
                | Expr::Unary(_))
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_with_operators_stay_together() {
        let fragment = |source: &str| {
            let group = Group::new(Delimiter::None, source.parse().unwrap());
            match preserve_fragment(TokenTree::Group(group)) {
                TokenTree::Group(group) => group.delimiter(),
                _ => panic!("not a group"),
            }
        };
        for source in ["a && b", "a + b", "-1", "!a", "*p", "&x", "n as u32", "0..n", "x = 1", "|x| x", "0 | 1"] {
            assert_eq!(fragment(source), Delimiter::Parenthesis, "{source}");
        }
        // Types, statements and expressions that nothing can split.
        for source in [
            "a",
            "{ a }",
            "a.b(c)?",
            "a::B",
            "Vec<u8>",
            "&'a str",
            "dyn A + B",
            "*const u8",
            "let x = 1",
            "if a { b } else { c }",
            "unsafe { a }",
            "Some(x)",
            "pub(crate)",
            "",
        ] {
            assert_eq!(fragment(source), Delimiter::None, "{source}");
        }
    }
}

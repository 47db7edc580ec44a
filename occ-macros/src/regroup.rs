//! Code that was taken apart into tokens, put together again.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Expr;

/// A group with other contents in the same place.
pub(crate) fn regrouped(group: &Group, stream: TokenStream) -> Group {
    let mut regrouped = Group::new(group.delimiter(), stream);
    regrouped.set_span(group.span());
    regrouped
}

/// A token as it is put together with others again.
///
/// The compiler ignores invisible parentheses that a macro puts out: `!$e` with `a && b` would become `!a && b`. So
/// fragments of `macro_rules!` with operators get visible ones.
pub(crate) fn kept(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None && has_operator(&group) => {
            let mut visible = Group::new(Delimiter::Parenthesis, group.stream());
            // They are not the user's: nobody is to be told that they are unnecessary.
            visible.set_span(Span::call_site());
            TokenTree::Group(visible)
        }
        token => token,
    }
}

/// Whether a fragment is an expression that something around it could tear apart.
fn has_operator(fragment: &Group) -> bool {
    // Whatever it is, one token or group stays one.
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
            match kept(TokenTree::Group(group)) {
                TokenTree::Group(group) => group.delimiter(),
                _ => panic!("not a group"),
            }
        };
        for source in ["a && b", "a + b", "-1", "!a", "*p", "&x", "n as u32", "0..n", "x = 1", "|x| x", "0 | 1"] {
            assert_eq!(fragment(source), Delimiter::Parenthesis, "{source}");
        }
        // Among them types, statements and what nothing can tear apart.
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

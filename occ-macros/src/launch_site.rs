//! Launches in a function's body: `launch!(module.kernel<<<grid, block, shared, stream>>>(..))`, and their parts.

use crate::diagnostics::TokenRange;
use crate::item::{Item, Kind};
use crate::tokens::{comma_separated, is_punct, split_at_commas, ungrouped, unraw};
use crate::value::{Evaluated, evaluate};
use proc_macro2::{Delimiter, Group, Ident, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

/// Name of the macro that a guarded launch invokes.
pub(crate) const GUARDED: &str = "__guarded";

/// The parts of one `launch!` that a check needs.
#[derive(Clone, Debug)]
pub(crate) struct LaunchSite {
    pub(crate) block: Vec<TokenTree>,
    pub(crate) dynamic_smem: Vec<TokenTree>,
    /// The kernel's name in `module.kernel`. A variable that holds a function has none.
    pub(crate) kernel: Option<String>,
}

/// The launches of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launches {
    /// Every launch, at any depth.
    pub(crate) sites: Vec<LaunchSite>,
    /// Launches that could not be read.
    pub(crate) unreadable: Vec<TokenRange>,
    /// Names that inner blocks and functions declare, which a check at the beginning of the body does not see. `*`
    /// stands for unknown names.
    pub(crate) inner_names: Vec<String>,
}

impl Launches {
    /// Returns the launches of a function's body; none of a unit struct.
    pub(crate) fn of(item: &Item) -> Launches {
        match &item.kind {
            Kind::Function { body, .. } => Launches::find(body),
            _ => Launches::default(),
        }
    }

    fn find(body: &Group) -> Launches {
        let mut launches = Launches::default();
        // Most bodies launch nothing, and printing one is faster than walking through it.
        if body.to_string().contains("launch") {
            find_in(body, 0, &mut launches);
        }
        launches
    }
}

impl LaunchSite {
    /// Reads `module.kernel<<<grid, block, shared, stream>>>(..)`.
    pub(crate) fn parse(tokens: &[TokenTree]) -> Option<LaunchSite> {
        let open = (0..tokens.len()).find(|&at| three(tokens, at, '<'))?;
        let close = (open + 3..tokens.len()).rev().find(|&at| {
            three(tokens, at, '>')
                && matches!(tokens.get(at + 3), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
        })?;
        let between = &tokens[open + 3..close];
        let kernel = match &tokens[..open] {
            [.., dot, TokenTree::Ident(name)] if is_punct(dot, '.') => Some(unraw(name)),
            _ => None,
        };
        if let [_grid, block, dynamic_smem, _stream] = split_at_commas(between)[..] {
            return Some(LaunchSite { block: block.to_vec(), dynamic_smem: dynamic_smem.to_vec(), kernel });
        }
        // A comma inside `<S as Trait<A, B>>` needs a parser.
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let expressions = parser.parse2(between.iter().cloned().collect()).ok()?;
        let tokens = |at: usize| Some(expressions.get(at)?.to_token_stream().into_iter().collect());
        if expressions.len() == 4 {
            Some(LaunchSite { block: tokens(1)?, dynamic_smem: tokens(2)?, kernel })
        } else {
            None
        }
    }
}

fn find_in(group: &Group, depth: usize, launches: &mut Launches) {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    inner_names(&tokens, depth, &mut launches.inner_names);
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(inner) = token else {
            continue;
        };
        if let Some(macro_name) = invoked(&tokens[..at]) {
            let tokens: Vec<TokenTree> = inner.stream().into_iter().collect();
            let site = launched(macro_name, &tokens).unwrap_or_default();
            match LaunchSite::parse(site) {
                Some(site) => launches.sites.push(site),
                None if (0..site.len()).any(|at| three(site, at, '<')) => {
                    launches.unreadable.extend(TokenRange::of(site));
                }
                None => {}
            }
        }
        find_in(inner, depth + 1, launches);
    }
}

/// Returns the last name in the path of the macro that is invoked with what follows.
pub(crate) fn invoked(before: &[TokenTree]) -> Option<&Ident> {
    match before {
        [.., TokenTree::Ident(name), bang] if is_punct(bang, '!') => Some(name),
        _ => None,
    }
}

/// Returns the launch that is passed to `launch!`, or to the macro of a guarded launch, which has two groups before it.
pub(crate) fn launched<'t>(macro_name: &Ident, inside: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
    match inside {
        _ if macro_name == "launch" => Some(inside),
        [TokenTree::Group(_), TokenTree::Group(_), site @ ..] if macro_name == GUARDED => Some(site),
        _ => None,
    }
}

/// Adds the names that items in `tokens` declare, unless they are the body's own (depth 0), and generic parameters.
fn inner_names(tokens: &[TokenTree], depth: usize, names: &mut Vec<String>) {
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Ident(keyword) = token else {
            continue;
        };
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let is_parameter = before.is_some_and(|token| is_punct(token, '<') || is_punct(token, ','));
        match keyword.to_string().as_str() {
            // Everything up to the semicolon; path segments do no harm.
            "use" if depth > 0 => {
                for token in tokens[at + 1..].iter().take_while(|token| !is_punct(token, ';')) {
                    names.push(if is_punct(token, '*') { "*".to_owned() } else { token.to_string() });
                    if matches!(token, TokenTree::Group(_)) {
                        names.push("*".to_owned());
                    }
                }
            }
            // Not the `const` of a pointer.
            "const" | "static" | "enum" | "struct" | "union" | "type" | "fn" | "mod"
                if (depth > 0 || is_parameter) && !before.is_some_and(|token| is_punct(token, '*')) =>
            {
                let declared = tokens[at + 1..].iter().find_map(|token| match token {
                    TokenTree::Ident(ident) if !matches!(ident.to_string().as_str(), "mut" | "unsafe" | "fn") => {
                        Some(Some(ident.to_string()))
                    }
                    TokenTree::Ident(_) => None,
                    _ => Some(None),
                });
                names.extend(declared.flatten());
            }
            _ => {}
        }
    }
}

fn three(tokens: &[TokenTree], at: usize, character: char) -> bool {
    (at..at + 3).all(|at| tokens.get(at).is_some_and(|token| is_punct(token, character)))
}

/// Returns the first part of an expression that exists only at run time: a variable, by Rust's naming.
///
/// Constants are upper case, and calls may be of `const fn`: those are left to the compiler.
pub(crate) fn run_time_part(tokens: &[TokenTree]) -> Option<TokenRange> {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                let is_variable = name.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || c == '_')
                    && !matches!(
                        name.as_str(),
                        "as" | "if" | "else" | "match" | "true" | "false" | "const" | "crate" | "super" | "in"
                    )
                    && !PRIMITIVES.contains(&name.as_str());
                let next = tokens.get(at + 1);
                let is_call_or_path = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
                    || next.is_some_and(|token| is_punct(token, ':') || is_punct(token, '!'));
                let in_path = at > 0 && (is_punct(&tokens[at - 1], ':') || is_punct(&tokens[at - 1], '.'));
                if is_variable && !is_call_or_path && !in_path {
                    return Some(TokenRange::at(ident.span()));
                }
            }
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                if let Some(found) = run_time_part(&inside) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Primitive types, which are lower case like variables.
const PRIMITIVES: [&str; 19] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f16", "f32", "f64",
    "f128", "bool", "char", "str",
];

/// Returns the axes of a block in a launch: `256`, `(16, 16)`, `BlockSize::xy(16, 16)`, `&` and `.into()` of those.
pub(crate) fn block_axes(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let tokens = ungrouped(tokens);
    let mut tokens = tokens.as_slice();
    while let [first, rest @ ..] = tokens
        && is_punct(first, '&')
    {
        tokens = rest;
    }
    if let [rest @ .., dot, TokenTree::Ident(into), TokenTree::Group(_)] = tokens
        && into == "into"
        && is_punct(dot, '.')
    {
        tokens = rest;
    }
    if let [.., TokenTree::Ident(ty), _, _, TokenTree::Ident(constructor), TokenTree::Group(arguments)] = tokens
        && ty == "BlockSize"
        && (constructor == "x" || constructor == "xy" || constructor == "xyz" || constructor == "from")
    {
        return unwrapped(comma_separated(arguments));
    }
    match tokens {
        [TokenTree::Group(group)] if matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Brace) => {
            unwrapped(comma_separated(group))
        }
        _ => vec![tokens.to_vec()],
    }
}

/// Returns the axes of a block in a launch, if all are literals. Those left out are 1.
pub(crate) fn axes_in_launch(tokens: &[TokenTree]) -> Option<[u32; 3]> {
    let mut axes = [1; 3];
    for (axis, piece) in axes.iter_mut().zip(block_axes(tokens)) {
        match evaluate(&piece) {
            Ok(Evaluated::Integer(value)) => *axis = u32::try_from(value).ok()?,
            _ => return None,
        }
    }
    Some(axes)
}

/// Returns the axes without further parentheses or braces around them.
fn unwrapped(axes: Vec<Vec<TokenTree>>) -> Vec<Vec<TokenTree>> {
    match &axes[..] {
        [one] if matches!(&one[..], [TokenTree::Group(_)]) => block_axes(one),
        _ => axes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(body: &str) -> Vec<(Vec<String>, String)> {
        let body = format!("{{{body}}}").parse::<proc_macro2::TokenStream>().unwrap();
        let Some(TokenTree::Group(group)) = body.into_iter().next() else { panic!("not a body") };
        let text = |tokens: &Vec<TokenTree>| tokens.iter().cloned().collect::<proc_macro2::TokenStream>().to_string();
        Launches::find(&group)
            .sites
            .iter()
            .map(|site| (block_axes(&site.block).iter().map(text).collect(), text(&site.dynamic_smem)))
            .collect()
    }

    /// Forms that cust 0.3.2 accepts, and those real code uses.
    #[test]
    fn forms() {
        for (body, axes, smem) in [
            ("launch!(module.k<<<1, 32, 0, stream>>>(p))", &["32"] as &[&str], "0"),
            ("unsafe { launch!(module.k<<<1, B, 0, stream>>>(p, 1u32,)) }?;", &["B"], "0"),
            ("cust::launch!(f<<<(w as u32 / 16 + 1, h), (16, 16), 0, stream>>>(p))", &["16", "16"], "0"),
            (
                "launch!(f<<<GridSize::xy(1, 2), BlockSize::xy(TILE as u32, 8), 4 * B, stream>>>(p))",
                &["TILE as u32", "8"],
                "4 * B",
            ),
            ("launch!(f<<<&g, &b, (TILE * 4) as u32, stream>>>(p))", &["b"], "(TILE * 4) as u32"),
            (
                "launch!(f<<<g, cust::function::BlockSize::x(64), size_of::<(u8, u8)>() as u32 >> 1, s>>>(p))",
                &["64"],
                "size_of ::< (u8 , u8) > () as u32 >> 1",
            ),
            ("launch!(f<<<g, (64, 1, 1).into(), 0, s>>>())", &["64", "1", "1"], "0"),
            ("if x { vec![launch!{f<<<1, 32, 0, s>>>(a >> b)}] }", &["32"], "0"),
        ] {
            let expected: Vec<String> = axes.iter().map(ToString::to_string).collect();
            assert_eq!(sites(body), [(expected, smem.to_string())], "{body}");
        }
        assert!(
            sites("launch(1); launched!(f<<<1, 1, 0, s>>>()); launch!(f<<<1, 32>>>()); launch!(); launch!(<<<>>>)")
                .is_empty()
        );
        assert_eq!(sites("launch!(f<<<1, 32, 0, s>>>()); || launch!(f<<<1, 64, 0, s>>>())").len(), 2);
    }

    #[test]
    fn variables() {
        let part = |source: &str| {
            run_time_part(&source.parse::<proc_macro2::TokenStream>().unwrap().into_iter().collect::<Vec<_>>())
                .is_some()
        };
        for source in
            ["n", "n.div_ceil(BLOCK)", "(block, 1)", "self.block", "args.block.get()", "if big { 64 } else { 32 }"]
        {
            assert!(part(source), "{source}");
        }
        for source in [
            "BLOCK",
            "TILE as u32",
            "size_of::<f32>() as u32 * N",
            "config::BLOCK",
            "block_size()",
            "Self::BLOCK",
            "32",
        ] {
            assert!(!part(source), "{source}");
        }
    }
}

//! Token streams without a parser: splitting lists, following paths, finding names.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

/// Returns whether a token is this punctuation character.
pub(crate) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns an identifier's name without the `r#` of a raw one.
pub(crate) fn unraw(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

/// Returns the tokens inside the invisible group that `macro_rules!` puts around a fragment such as `$x:expr`.
pub(crate) fn ungrouped(tokens: &[TokenTree]) -> Vec<TokenTree> {
    match tokens {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            ungrouped(&group.stream().into_iter().collect::<Vec<_>>())
        }
        _ => tokens.to_vec(),
    }
}

/// Splits tokens at their top-level commas and drops empty pieces. A comma inside `::<..>` does not separate.
pub(crate) fn split_at_commas(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Punct(punct) = token else {
            continue;
        };
        match punct.as_char() {
            '<' if depth > 0 || follows_path_separator(tokens, at) => depth += 1,
            '>' if depth > 0 && !follows_arrow_start(tokens, at) => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&tokens[start..]);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Returns the comma-separated pieces inside a group.
pub(crate) fn comma_separated(group: &Group) -> Vec<Vec<TokenTree>> {
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    split_at_commas(&inside).into_iter().map(<[TokenTree]>::to_vec).collect()
}

fn follows_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':')
}

fn follows_arrow_start(tokens: &[TokenTree], at: usize) -> bool {
    at >= 1 && (is_punct(&tokens[at - 1], '-') || is_punct(&tokens[at - 1], '='))
}

/// Returns whether an identifier can be a name or a segment of a path: whether it is no keyword.
pub(crate) fn is_name(ident: &Ident) -> bool {
    const KEYWORDS: [&str; 51] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
        "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
        "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
        "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    ];
    let name = ident.to_string();
    let may_be_keyword = name.starts_with(|c: char| c.is_ascii_lowercase());
    name != "_" && !(may_be_keyword && KEYWORDS.contains(&name.as_str()))
}

/// Returns whether an identifier occurs anywhere in the tokens.
pub(crate) fn contains_ident(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => contains_ident(&group.stream().into_iter().collect::<Vec<_>>(), name),
        _ => false,
    })
}

/// Returns whether a name that `is_wanted` accepts occurs at any depth, other than as a member behind `::` or `.`.
pub(crate) fn mentions(tokens: &TokenStream, is_wanted: &impl Fn(&str) -> bool) -> bool {
    let mut members = MemberTracker::default();
    tokens.clone().into_iter().any(|token| {
        let found = match &token {
            TokenTree::Ident(ident) => !members.is_next() && is_wanted(&ident.to_string()),
            TokenTree::Group(group) => mentions(&group.stream(), is_wanted),
            _ => false,
        };
        members.advance(&token);
        found
    })
}

/// Tracks whether the next token is a member of what precedes it: behind `::` or a single `.`.
#[derive(Default)]
pub(crate) struct MemberTracker {
    state: MemberState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum MemberState {
    #[default]
    Elsewhere,
    OneColon,
    Range,
    Member,
}

impl MemberTracker {
    /// Returns whether the next token is a member.
    pub(crate) fn is_next(&self) -> bool {
        self.state == MemberState::Member
    }

    /// Takes the next token into account.
    pub(crate) fn advance(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            self.state = MemberState::Elsewhere;
            return;
        };
        self.state = match (punct.as_char(), punct.spacing(), self.state) {
            (':', Spacing::Alone, MemberState::OneColon) | ('.', Spacing::Alone, MemberState::Elsewhere) => {
                MemberState::Member
            }
            (':', Spacing::Joint, _) => MemberState::OneColon,
            ('.', Spacing::Joint, _) => MemberState::Range,
            _ => MemberState::Elsewhere,
        };
    }
}

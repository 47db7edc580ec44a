//! The attribute's tokens, taken apart into keys and values. What a value means is decided later.

use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::value::{Written, evaluate};
use occ_core::internal::did_you_mean;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// Every key of the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Arch,
    Gpu,
    MinOccupancy,
    MinBlocksPerSm,
    MinWarpsPerSm,
    MinLaneEfficiency,
    MinWaves,
    MaxTailIdle,
    Block,
    DynamicSmem,
    StaticSmem,
    Registers,
    MaxRegisters,
    Barriers,
    Cluster,
    Carveout,
    Grid,
    Cubin,
    Kernel,
    MaxStack,
    MaxSpills,
    OnMismatch,
    Allow,
    Instances,
    Generic,
    Spec,
    Crate,
}

const KEYS: [(&str, Key); 27] = [
    ("arch", Key::Arch),
    ("gpu", Key::Gpu),
    ("min_occupancy", Key::MinOccupancy),
    ("min_blocks_per_sm", Key::MinBlocksPerSm),
    ("min_warps_per_sm", Key::MinWarpsPerSm),
    ("min_lane_efficiency", Key::MinLaneEfficiency),
    ("min_waves", Key::MinWaves),
    ("max_tail_idle", Key::MaxTailIdle),
    ("block", Key::Block),
    ("dynamic_smem", Key::DynamicSmem),
    ("static_smem", Key::StaticSmem),
    ("registers", Key::Registers),
    ("max_registers", Key::MaxRegisters),
    ("barriers", Key::Barriers),
    ("cluster", Key::Cluster),
    ("carveout", Key::Carveout),
    ("grid", Key::Grid),
    ("cubin", Key::Cubin),
    ("kernel", Key::Kernel),
    ("max_stack", Key::MaxStack),
    ("max_spills", Key::MaxSpills),
    ("on_mismatch", Key::OnMismatch),
    ("allow", Key::Allow),
    ("instances", Key::Instances),
    ("generic", Key::Generic),
    ("spec", Key::Spec),
    ("crate", Key::Crate),
];

/// What an attribute of ours adds to the other ones below it, which see it no more when they are expanded: itself, or
/// `= "name"` with the kernel it names.
pub(crate) const ONE_OF_SEVERAL: &str = "__one_of_several";

impl Key {
    pub(crate) fn name(self) -> &'static str {
        KEYS.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| name)
    }
}

/// How a key was given its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `key = value`
    Value,
    /// `key(..)`; the value is what stands in the parentheses.
    Call,
    /// `key`
    Flag,
}

/// One argument as it was written.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) key: Key,
    pub(crate) key_ends: Ends,
    pub(crate) form: Form,
    pub(crate) value: Vec<TokenTree>,
    /// The value, or the key where there is no value.
    pub(crate) ends: Ends,
}

/// The arguments of one attribute, each key at most once.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    list: Vec<Argument>,
    /// Keys that a misspelled one may have been meant for, so that they are not reported missing too.
    meant: Vec<Key>,
    /// Whether something could not be read at all: any key may be missing for that reason.
    unreadable: bool,
    /// Whether the function has other attributes of ours, each for some of its launches.
    pub(crate) is_one_of_several: bool,
    /// The kernels that attributes above this one name.
    pub(crate) kernels_above: Vec<String>,
    /// The whole argument list, if it is not empty.
    pub(crate) ends: Option<Ends>,
}

impl Arguments {
    pub(crate) fn parse(tokens: TokenStream, diagnostics: &mut Diagnostics) -> Self {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut arguments = Arguments { ends: Ends::of(&tokens), ..Arguments::default() };
        for piece in split_at_commas(&tokens) {
            match piece {
                [TokenTree::Ident(mark), kernel @ ..] if mark == ONE_OF_SEVERAL => {
                    arguments.is_one_of_several = true;
                    arguments.kernels_above.extend(kernel.get(1..).and_then(text));
                }
                _ => arguments.parse_one(piece, diagnostics),
            }
        }
        arguments
    }

    pub(crate) fn get(&self, key: Key) -> Option<&Argument> {
        self.list.iter().find(|argument| argument.key == key)
    }

    /// Whether a key was given, or was probably meant by a misspelled one.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.unreadable || self.get(key).is_some() || self.meant.contains(&key)
    }

    /// The kernel that the attribute names.
    pub(crate) fn kernel(&self) -> Option<String> {
        text(&self.get(Key::Kernel)?.value)
    }

    /// The same arguments with every value's tokens changed; they stay where they were written.
    pub(crate) fn map_values(&self, change: &dyn Fn(&[TokenTree]) -> Vec<TokenTree>) -> Arguments {
        let changed = |argument: &Argument| Argument { value: change(&argument.value), ..argument.clone() };
        Arguments {
            list: self.list.iter().map(changed).collect(),
            meant: self.meant.clone(),
            kernels_above: self.kernels_above.clone(),
            ..*self
        }
    }

    fn parse_one(&mut self, piece: &[TokenTree], diagnostics: &mut Diagnostics) {
        let Some((first, rest)) = piece.split_first() else {
            return;
        };
        let TokenTree::Ident(name) = first else {
            let ends = Ends { first: first.span(), last: piece[piece.len() - 1].span() };
            let help = "such as `arch = \"sm_80\"` or `block = 256`";
            diagnostics.push(Diagnostic::new(ends, "expected `key = value`").help(help));
            self.unreadable = true;
            return;
        };
        let key_ends = Ends::one(name.span());
        let (form, value) = match rest {
            [] => (Form::Flag, &[] as &[TokenTree]),
            [TokenTree::Punct(equals), value @ ..]
                if equals.as_char() == '=' && !(equals.spacing() == Spacing::Joint && is_operator(value.first())) =>
            {
                if value.is_empty() {
                    let text = format!("`{name}` has no value");
                    diagnostics.error(Ends { first: name.span(), last: equals.span() }, text);
                    self.note_meaning(name);
                    return;
                }
                let end = missing_comma(value, diagnostics);
                self.parse_one(&value[end..], diagnostics);
                (Form::Value, &value[..end])
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => (Form::Call, rest),
            [unexpected, ..] => {
                let ends = Ends { first: unexpected.span(), last: rest[rest.len() - 1].span() };
                let text = format!("expected `{name} = value`, or a comma before this");
                diagnostics.error(ends, text);
                self.note_meaning(name);
                return;
            }
        };
        let Some(key) = known_key(name, diagnostics) else {
            self.note_meaning(name);
            return;
        };
        let argument =
            Argument { key, key_ends, form, value: value.to_vec(), ends: Ends::of(value).unwrap_or(key_ends) };
        if !form_is_right(&argument, diagnostics) {
            self.meant.push(key);
        } else if self.get(key).is_some() {
            let text = format!("`{name}` is given twice");
            diagnostics.push(Diagnostic::new(key_ends, text).help("remove one of them"));
        } else {
            self.list.push(argument);
        }
    }

    /// Remembers what a misspelled key was probably meant for.
    fn note_meaning(&mut self, name: &Ident) {
        let name = name.to_string();
        if let Some(nearest) = did_you_mean(&name, &KEYS.map(|(name, _)| name)) {
            self.meant.extend(KEYS.iter().filter(|(name, _)| *name == nearest).map(|(_, key)| *key));
        }
    }
}

/// The text that tokens are.
fn text(tokens: &[TokenTree]) -> Option<String> {
    match evaluate(tokens) {
        Ok(Written::Text(text)) => Some(text),
        _ => None,
    }
}

/// Where a value ends because `key =` follows without a comma, which is reported; else its length.
fn missing_comma(value: &[TokenTree], diagnostics: &mut Diagnostics) -> usize {
    let next = value.windows(2).skip(1).position(|pair| match pair {
        [TokenTree::Ident(name), TokenTree::Punct(equals)] => {
            equals.as_char() == '=' && KEYS.iter().any(|(known, _)| name == known)
        }
        _ => false,
    });
    let Some(next) = next else {
        return value.len();
    };
    diagnostics.error(Ends::one(value[next + 1].span()), "expected a comma before this");
    next + 1
}

fn known_key(name: &Ident, diagnostics: &mut Diagnostics) -> Option<Key> {
    let written = name.to_string();
    if let Some((_, key)) = KEYS.iter().find(|(known, _)| *known == written) {
        return Some(*key);
    }
    let ends = Ends::one(name.span());
    let error = Diagnostic::new(ends, format!("unknown argument `{written}`"));
    diagnostics.push(match did_you_mean(&written, &KEYS.map(|(name, _)| name)) {
        Some(nearest) => error.help(&format!("did you mean `{nearest}`?")),
        None => error.note(&format!("the arguments are {}", KEYS.map(|(name, _)| format!("`{name}`")).join(", "))),
    });
    None
}

fn form_is_right(argument: &Argument, diagnostics: &mut Diagnostics) -> bool {
    let name = argument.key.name();
    let expected = match (argument.key, argument.form) {
        (Key::Allow, Form::Value | Form::Call) | (Key::Instances, Form::Call) | (Key::Generic, Form::Flag) => {
            return true;
        }
        (Key::Instances, _) => "instances(N = [64, 128])".to_owned(),
        (Key::Generic, _) => "generic".to_owned(),
        (Key::Allow, _) => "allow = (partial_warp)".to_owned(),
        (_, Form::Value) => return true,
        _ => format!("{name} = .."),
    };
    diagnostics.error(argument.key_ends, format!("`{name}` is written `{expected}`"));
    false
}

fn is_operator(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '=' | '>'))
}

/// The pieces between top-level commas, empty ones left out. A comma inside `::<..>` does not separate.
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

fn follows_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':')
}

fn follows_arrow_start(tokens: &[TokenTree], at: usize) -> bool {
    at >= 1 && (is_punct(&tokens[at - 1], '-') || is_punct(&tokens[at - 1], '='))
}

pub(crate) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

//! Any arguments on any item: the attribute must not panic, and the item must come out again.

use super::launch_config;
use crate::guard;
use crate::keys::KEYS;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

/// Names that are not keys: misspelled, raw and reserved ones.
const OTHER_NAMES: &[&str] = &["arh", "blok", "colour", "größe", "ブロック", "r#arch", "r#type", "_", "self", "Self"];

const LITERALS: &[&str] = &[
    "0",
    "1",
    "32",
    "64",
    "256",
    "1024",
    "1025",
    "48",
    "102400",
    "4294967295",
    "4294967296",
    "1_024u32",
    "0x100usize",
    "0b1",
    "0o7",
    "340282366920938463463374607431768211455",
    "999999999999999999999999999999999999999999999999",
    "170141183460469231731687303715884105727",
    "1i128",
    "1f64",
    "1foo",
    "0.5",
    "1.0",
    "2.",
    "1e400",
    "1e-400",
    "0.0",
    "50.0",
    "1e3f32",
    "0.5f16",
    "\"sm_80\"",
    "\"sm_90a\"",
    "\"sm_80..\"",
    "\"sm_8O\"",
    "\"\"",
    "\"A100\"",
    "\"GeForce RTX 4090\"",
    "\"Grüße \\u{1F980}\"",
    "r\"sm_80\"",
    "r##\"sm_\"80\"##",
    "\"max_shared\"",
    "\"warn\"",
    "b\"256\"",
    "br#\"x\"#",
    "c\"256\"",
    "cr\"x\"",
    "'x'",
    "'\\''",
    "'\\u{10FFFF}'",
    "b'x'",
    "true",
    "false",
    "\"256\"suffix",
    "'x'y",
];

const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "!", "as", "==", "=", "=>", "->", "<", ">", "<<<", ">>>", "::",
    ":", ";", ",", ".", "..", "..=", "?", "#", "$", "@", "~", "&&", "'a", "<=", "+=",
];

const WORDS: &[&str] = &[
    "N",
    "T",
    "BLOCK",
    "Self::BLOCK",
    "self",
    "crate",
    "super",
    "size_of::<(u8, u8)>()",
    "u32",
    "usize",
    "f64",
    "fn",
    "const",
    "if",
    "let",
    "x",
    "partial_warp",
    "single_thread",
    "r#loop",
    "größe",
    "launch",
    "macro_rules",
    "async",
    "::occ_runtime",
    "crate::rt",
    "::",
    "crate::",
    ":::crate",
    "vec![1]",
    "if A { 1 } else { 2 }",
    "|x| x",
    "T::<N, 2>::X",
];

/// A key, or a name that is none.
fn key(random: &mut Random) -> &'static str {
    let at = random.below(KEYS.len() + OTHER_NAMES.len());
    KEYS.get(at).map_or_else(|| OTHER_NAMES[at - KEYS.len()], |row| row.key.name())
}

fn tokens(random: &mut Random, most: usize, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(most + 1) {
        match random.below(8) {
            0 | 1 => text.push_str(random.pick(LITERALS)),
            2 | 3 => text.push_str(random.pick(OPERATORS)),
            4 => text.push_str(key(random)),
            5 | 6 => text.push_str(random.pick(WORDS)),
            _ if depth > 0 => {
                let inside = tokens(random, most, depth - 1);
                let (open, close) = [("(", ")"), ("[", "]"), ("{", "}")][random.below(3)];
                text.extend([open, inside.as_str(), close]);
            }
            _ => {}
        }
        text.push(' ');
    }
    text
}

fn value(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => random.pick(LITERALS).to_owned(),
        3 => random.pick(WORDS).to_owned(),
        4 => format!("({}, {})", random.pick(LITERALS), random.pick(WORDS)),
        5 => format!("[{}, {}]", random.pick(LITERALS), random.pick(LITERALS)),
        6 => format!("{} {} {}", random.pick(LITERALS), random.pick(OPERATORS), random.pick(LITERALS)),
        7 => format!("-{} as {}", random.pick(LITERALS), random.pick(WORDS)),
        8 => format!("(N = [{}], T = [{}])", random.pick(LITERALS), random.pick(WORDS)),
        _ => tokens(random, 6, 3),
    }
}

/// Arguments that are mostly right, so that every stage is reached.
fn arguments(random: &mut Random) -> String {
    if random.one_in(6) {
        return tokens(random, 20, 4);
    }
    let mut list = Vec::new();
    if !random.one_in(4) {
        list.push(if random.one_in(3) { "gpu = \"GeForce RTX 4090\"" } else { "arch = \"sm_80\"" }.to_owned());
    }
    if !random.one_in(4) {
        list.push(format!(
            "block = {}",
            random.pick(&["256", "(16, 16)", "BLOCK", "N", "Self::BLOCK", "33", "(1, 1, 65)"])
        ));
    }
    for _ in 0..random.below(6) {
        let key = key(random);
        list.push(match random.below(12) {
            0 => key.to_owned(),
            1 => format!("{key}({})", value(random)),
            2 => format!("{key} {}", value(random)),
            3 => format!("{key} ="),
            _ => format!("{key} = {}", value(random)),
        });
    }
    let comma = if random.one_in(10) { " " } else { ", " };
    list.join(comma)
}

/// Items the compiler takes at the top of a file.
const ITEMS: &[&str] = &[
    "fn k() { BODY }",
    "pub(crate) fn k<T: Copy, const N: u32>(x: &[T; 4]) -> Option<Vec<T>> where T: Into<u32> { BODY }",
    "#[doc = \"x\"] #[inline] pub async fn k<'a>(x: &'a str) -> &'a str { #![allow(unused)] BODY }",
    "#[unsafe(no_mangle)] pub unsafe extern \"C\" fn k(x: *mut f32) { BODY }",
    "const fn k() -> u32 { BODY }",
    "fn r#loop<F: Fn(u8) -> u8, const N: usize>(f: F) { BODY }",
    "struct Saxpy;",
    "#[derive(Clone)] pub struct Saxpy;",
    "struct S { x: u8 }",
    "struct S<T>(T);",
    "enum E { A, B }",
    "mod m { fn k() { BODY } }",
    "impl S { fn k() { BODY } }",
    "trait T { fn k(); }",
    "const X: u32 = 1;",
    "macro_rules! m { () => {}; }",
    "fn größe() { BODY }",
];

const BODIES: &[&str] = &[
    "",
    "1",
    "launch!(module.k<<<grid, 256, 0, stream>>>(x));",
    "launch!(m.k<<<1, (16, TILE), 4 * N, s>>>(x)); launch!(m.j<<<1, 32, 0, s>>>(x));",
    "launch!(f<<<1, n, 0, s>>>()); let x = 1; match x { _ => {} }",
    "if x { launch!{k<<<g, BlockSize::xy(8, 8), 1 << 40, s>>>(a >> b)} }",
    "launch!(<<<>>>); launch!(); launch!(k<<<,,,>>>());",
    "launch!(k<<<1, -1, \"x\", s>>>()); { [launch!(k<<<1, (), (), s>>>())] };",
];

/// Every token in order, groups as their delimiters around what is in them; invisible ones left out.
fn flat(stream: TokenStream, into: &mut Vec<String>) {
    for token in stream {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                into.push(open.to_owned());
                flat(group.stream(), into);
                into.push(close.to_owned());
            }
            other => into.push(other.to_string()),
        }
    }
}

fn is_kept(item: TokenStream, output: TokenStream) -> bool {
    let (mut wanted, mut found) = (Vec::new(), Vec::new());
    flat(item, &mut wanted);
    // A guarded launch is parenthesized_if_torn within what guards it.
    flat(guard::tests::unguarded(output), &mut found);
    let mut found = found.into_iter();
    wanted.iter().all(|token| found.any(|candidate| candidate == *token))
}

/// Some stretches in invisible parentheses, as fragments of `macro_rules!` arrive.
fn as_fragments(stream: TokenStream, random: &mut Random) -> TokenStream {
    stream
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let inside = as_fragments(group.stream(), random);
                TokenTree::Group(Group::new(group.delimiter(), inside))
            }
            token if random.one_in(6) => TokenTree::Group(Group::new(Delimiter::None, token.into())),
            token => token,
        })
        .collect()
}

fn text_of_panic(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// Runs the attribute and says what it did that it must not do.
fn failure(arguments: &TokenStream, item: &TokenStream, item_is_valid: bool) -> Option<String> {
    let run = || launch_config(arguments.clone(), item.clone());
    let output = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(output) => output,
        Err(panic) => return Some(format!("it panicked: {}", text_of_panic(&*panic))),
    };
    if !is_kept(item.clone(), output.clone()) {
        return Some(format!("the item is lost: {output}"));
    }
    if item_is_valid && let Err(error) = syn::parse2::<syn::File>(output.clone()) {
        return Some(format!("what it became is no code, {error}: {output}"));
    }
    None
}

fn check_all(seed: u64, runs: usize, mut next: impl FnMut(&mut Random) -> (String, String, bool)) {
    let mut random = Random(seed);
    let mut failures = Vec::new();
    let mut parsed = 0;
    for _ in 0..runs {
        let (arguments, item, item_is_valid) = next(&mut random);
        let (Ok(tokens), Ok(item_tokens)) = (arguments.parse::<TokenStream>(), item.parse::<TokenStream>()) else {
            continue;
        };
        parsed += 1;
        let tokens = if random.one_in(4) { as_fragments(tokens, &mut random) } else { tokens };
        if let Some(failure) = failure(&tokens, &item_tokens, item_is_valid) {
            failures.push(format!("#[launch_config({arguments})]\n{item}\n{failure}"));
        }
    }
    assert!(parsed > runs / 2, "only {parsed} of {runs} inputs were tokens");
    let count = failures.len();
    failures.sort_by_key(String::len);
    failures.truncate(8);
    assert!(failures.is_empty(), "{count} of {parsed} failed, the shortest:\n\n{}", failures.join("\n\n"));
}

#[test]
fn any_arguments_on_any_item() {
    check_all(0x9e37_79b9_7f4a_7c15, 4_000, |random| {
        let item = random.pick(ITEMS).replace("BODY", random.pick(BODIES));
        (arguments(random), item, true)
    });
}

#[test]
fn any_tokens_as_an_item() {
    check_all(0xd1b5_4a32_d192_ed03, 2_000, |random| (arguments(random), tokens(random, 20, 4), false));
}

#[test]
fn any_tokens_in_a_body() {
    check_all(0x2545_f491_4f6c_dd1d, 2_000, |random| {
        let launch =
            format!("launch!(k<<<{}, {}, {}, s>>>({}))", value(random), value(random), value(random), value(random));
        let item = format!("fn k<T, const N: usize>() {{ {} {launch} }}", tokens(random, 10, 4));
        (arguments(random), item, false)
    });
}

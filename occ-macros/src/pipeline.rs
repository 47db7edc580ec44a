//! The stages in their order: arguments and item, configuration, check, expansion.
//!
//! Whatever is wrong, the item comes out again: nothing else in the user's crate may break.

use crate::arguments::{Arguments, Key};
use crate::config::{self, Config, Options};
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::instances::Instance;
use crate::item::{Item, Kind};
use crate::{artifact, check, expand, guard};
use occ_core::{Argument, Confidence};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

pub(crate) fn launch_config(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let expansion = expand(arguments, item, &mut diagnostics);
    let mut tokens = diagnostics.into_tokens();
    tokens.extend(expansion);
    tokens
}

fn expand(arguments: TokenStream, item: TokenStream, diagnostics: &mut Diagnostics) -> TokenStream {
    let arguments = Arguments::parse(arguments, diagnostics);
    let item = Item::parse(item, &arguments);
    if let Kind::Other { ends, what } = item.kind {
        let ends = if what == "nothing" { arguments.ends.unwrap_or(ends) } else { ends };
        let help = "put it on a function with a body, or on `struct Name;`";
        diagnostics.push(Diagnostic::new(ends, format!("`launch_config` cannot check {what}")).help(help));
        return item.tokens;
    }
    // A unit struct is checked beside itself, where `Self` means nothing.
    let arguments = match item.kind {
        Kind::UnitStruct => Instance::of_struct(&item).substitute(&arguments),
        _ => arguments,
    };
    if let (Kind::UnitStruct, Some(given)) = (&item.kind, arguments.get(Key::Generic)) {
        let error = Diagnostic::new(given.key_ends, "a unit struct has no parameters for `generic` to be about");
        diagnostics.push(error.help("remove `generic`"));
    }
    let options = Options::read(&arguments, diagnostics);
    let config = config::read(&arguments, &item, diagnostics).map(|config| allowing(config, &options));
    let instances = Instance::read(&arguments, &item, diagnostics);
    if let (Some(config), Some(given)) = (&config, arguments.get(Key::Instances)) {
        instances_are_of_use(config, &instances, &item, given.key_ends, diagnostics);
    }

    let mut inside = TokenStream::new();
    if let Some(config) = &config {
        inside.extend(expand::tracked(&config.consulted));
        inside.extend(expand::tracked_files(&artifact::to_track(&config.files)));
        inside.extend(warnings(config, &options));
        if config.is_known() {
            check::check(config, diagnostics);
        } else {
            check::check_ceilings(config, diagnostics);
        }
        if !config.is_known() && diagnostics.is_empty() {
            for instance in &instances {
                inside.extend(instance_check(&arguments, &item, &options, instance, diagnostics));
            }
            inside.extend(expand::compiled_check(config, &options, &item));
        }
    }
    let spec = spec(config.as_ref(), &options, &item, diagnostics);
    let guarded = match &config {
        Some(config) if cfg!(feature = "cust") && diagnostics.is_empty() => {
            guard::guarded(&item, &arguments, config, &options)
        }
        _ => None,
    };
    let mut expansion = match guarded {
        Some(guarded) => {
            inside.extend(guarded.constant);
            item.with_body(&guarded.body, inside)
        }
        None => item.with(inside),
    };
    expansion.extend(spec);
    expansion
}

/// The configuration without the minimums of blocks per SM that kernels were compiled for, if they may be missed.
fn allowing(mut config: Config, options: &Options) -> Config {
    if options.allows("compiled_min_blocks") {
        for kernel in &mut config.compiled {
            kernel.min_blocks_per_sm = None;
        }
    }
    config
}

/// Reports instances of parameters that no value depends on: they would check nothing.
fn instances_are_of_use(
    config: &Config,
    instances: &[Instance],
    item: &Item,
    ends: Ends,
    diagnostics: &mut Diagnostics,
) {
    let is_used = expand::parameter_in(config, item).is_some();
    if !instances.is_empty() && !is_used {
        let text = "`instances` is of no use: no value depends on a parameter of the function";
        diagnostics.push(Diagnostic::new(ends, text).help("remove it"));
    }
}

/// The check of one instance of a generic function.
fn instance_check(
    arguments: &Arguments,
    item: &Item,
    options: &Options,
    instance: &Instance,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let arguments = instance.substitute(arguments);
    let Some(config) = config::read(&arguments, item, diagnostics) else {
        return TokenStream::new();
    };
    let mut config = allowing(config, options);
    config.notes.push(format!("this is about the instance `{}` alone", instance.name));
    if config.is_known() {
        check::check(&config, diagnostics);
        return TokenStream::new();
    }
    expand::compiled_check(&config, options, item)
}

/// The constant with the checked launch: asked for on a function, always there on a unit struct.
fn spec(config: Option<&Config>, options: &Options, item: &Item, diagnostics: &mut Diagnostics) -> TokenStream {
    let config = if diagnostics.is_empty() { config } else { None };
    match (&item.kind, &options.spec) {
        (Kind::UnitStruct, name) => {
            if let Some(name) = name {
                let text = "a unit struct's launch is always its `SPEC`";
                diagnostics.push(Diagnostic::new(Ends::one(name.span()), text).help("remove `spec`"));
            }
            let name = Ident::new("SPEC", item.name.span());
            let constant = expand::spec(&name, config, options, item);
            let owner = &item.name;
            quote!(impl #owner { #constant })
        }
        (_, Some(name)) => {
            let parameter = config.and_then(|config| expand::parameter_in(config, item));
            if let Some(parameter) = parameter {
                let text = format!("`spec` is one constant, but a value depends on the parameter `{parameter}`");
                diagnostics.push(Diagnostic::new(Ends::one(name.span()), text).help("remove `spec`"));
            }
            expand::spec(name, config.filter(|_| parameter.is_none()), options, item)
        }
        (_, None) => TokenStream::new(),
    }
}

/// Warnings about a launch that runs, but hardly as it was meant.
fn warnings(config: &Config, options: &Options) -> TokenStream {
    let mut tokens = TokenStream::new();
    let place = config.place(&[Argument::Block]);
    if let Some(block) = check::axes(&config.block) {
        let threads = block.iter().fold(1u64, |threads, axis| threads.saturating_mul(u64::from(*axis)));
        if threads == 1 {
            if !options.allows("single_thread") {
                let text = "a block of one thread uses 1 of the 32 lanes of its warp and cannot share work with \
                            others; give the block more threads, or write `allow = (single_thread)`";
                tokens.extend(expand::warning("single_thread", text, place));
            }
        } else if threads % 32 != 0 && threads <= 1024 && !options.allows("partial_warp") {
            let lanes = threads.next_multiple_of(32);
            let text = format!(
                "a block of {threads} threads leaves {} of its {lanes} lanes without a thread; use a multiple of 32, \
                 or write `allow = (partial_warp)`",
                lanes - threads
            );
            tokens.extend(expand::warning("partial_warp", &text, place));
        }
    }
    for kernel in config.compiled.iter().filter(|kernel| !kernel.is_linked) {
        if !options.allows("unlinked_kernel") {
            let text = format!(
                "{} is not linked yet: device linking can raise its registers, stack and barriers; name what is linked, \
                 or write `allow = (unlinked_kernel)`",
                kernel.source
            );
            tokens.extend(expand::warning("unlinked_kernel", &text, kernel.ends));
        }
    }
    for gpu in &config.gpus {
        if gpu.confidence == Confidence::Low && !options.allows("unconfirmed_gpu") {
            let text = format!(
                "the capability or the SM count of {} has not been confirmed on a device; declare `arch`, or write \
                 `allow = (unconfirmed_gpu)`",
                gpu.name
            );
            tokens.extend(expand::warning("unconfirmed_gpu", &text, config.place(&[Argument::Gpu])));
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::{Delimiter, Group, TokenTree};
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

    const KEYS: &[&str] = &[
        "arch",
        "gpu",
        "min_occupancy",
        "min_blocks_per_sm",
        "min_warps_per_sm",
        "min_lane_efficiency",
        "min_waves",
        "max_tail_idle",
        "block",
        "dynamic_smem",
        "static_smem",
        "registers",
        "max_registers",
        "barriers",
        "cluster",
        "carveout",
        "grid",
        "on_mismatch",
        "allow",
        "instances",
        "generic",
        "spec",
        "crate",
        "cubin",
        "kernel",
        "max_stack",
        "max_spills",
        "arh",
        "blok",
        "colour",
        "größe",
        "ブロック",
        "r#arch",
        "r#type",
        "_",
        "self",
        "Self",
    ];

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
        "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "!", "as", "==", "=", "=>", "->", "<", ">", "<<<", ">>>",
        "::", ":", ";", ",", ".", "..", "..=", "?", "#", "$", "@", "~", "&&", "'a", "<=", "+=",
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

    fn tokens(random: &mut Random, most: usize, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..random.below(most + 1) {
            match random.below(8) {
                0 | 1 => text.push_str(random.pick(LITERALS)),
                2 | 3 => text.push_str(random.pick(OPERATORS)),
                4 => text.push_str(random.pick(KEYS)),
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
            let key = random.pick(KEYS);
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
        // A guarded launch is kept within what guards it.
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
            let launch = format!(
                "launch!(k<<<{}, {}, {}, s>>>({}))",
                value(random),
                value(random),
                value(random),
                value(random)
            );
            let item = format!("fn k<T, const N: usize>() {{ {} {launch} }}", tokens(random, 10, 4));
            (arguments(random), item, false)
        });
    }
}

//! Warnings: their names, their texts and when each is given.
//!
//! A warning is the use of a deprecated constant: the one way to warn at the user's tokens that stable Rust offers.

use crate::config::{Config, known_axes};
use crate::diagnostics::TokenRange;
use occ_core::{Argument, Confidence};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// A warning that `allow` silences.
pub(crate) struct Warning {
    pub(crate) name: &'static str,
    /// Returns where to warn and of what.
    find: fn(&Config) -> Vec<(TokenRange, String)>,
}

/// Every warning.
pub(crate) const WARNINGS: &[Warning] = &[
    // Missing the blocks per SM that a kernel was compiled for is an error of the check.
    Warning { name: COMPILED_MIN_BLOCKS, find: |_| Vec::new() },
    Warning { name: "partial_warp", find: partial_warp },
    Warning { name: "single_thread", find: single_thread },
    Warning { name: "unconfirmed_gpu", find: unconfirmed_gpu },
    Warning { name: "unlinked_kernel", find: unlinked_kernel },
];

/// The minimum blocks per SM of compiled kernels may be missed.
pub(crate) const COMPILED_MIN_BLOCKS: &str = "compiled_min_blocks";

/// Returns the warnings about a launch that runs, but probably not as intended.
pub(crate) fn warnings(config: &Config, is_allowed: impl Fn(&str) -> bool) -> TokenStream {
    let mut tokens = TokenStream::new();
    for Warning { name, find } in WARNINGS.iter().filter(|warning| !is_allowed(warning.name)) {
        for (range, text) in find(config) {
            tokens.extend(deprecated(name, &format!("{text}, or write `allow = ({name})`"), range));
        }
    }
    tokens
}

/// Returns the number of threads of a block that the macro knows, and where it is written.
fn threads(config: &Config) -> Option<(u64, TokenRange)> {
    let threads = known_axes(&config.block)?.iter().fold(1u64, |threads, axis| threads.saturating_mul((*axis).into()));
    Some((threads, config.place(&[Argument::Block])))
}

fn single_thread(config: &Config) -> Vec<(TokenRange, String)> {
    let text = "a block of 1 thread uses 1 of the 32 lanes of its warp; use more threads per block";
    threads(config)
        .filter(|(threads, _)| *threads == 1)
        .map(|(_, range)| (range, text.to_owned()))
        .into_iter()
        .collect()
}

fn partial_warp(config: &Config) -> Vec<(TokenRange, String)> {
    let is_partial = |threads: u64| (2..=1024).contains(&threads) && !threads.is_multiple_of(32);
    let text = |threads: u64| {
        let lanes = threads.next_multiple_of(32);
        format!("a block of {threads} threads leaves {} of {lanes} lanes idle; use a multiple of 32", lanes - threads)
    };
    let partial = threads(config).filter(|(threads, _)| is_partial(*threads));
    partial.map(|(threads, range)| (range, text(threads))).into_iter().collect()
}

fn unlinked_kernel(config: &Config) -> Vec<(TokenRange, String)> {
    let unlinked = config.compiled.iter().filter(|kernel| !kernel.is_linked);
    let text = |source: &str| {
        format!(
            "{source} is not linked yet, and device linking can raise its registers, stack and barriers; name the \
             linked file"
        )
    };
    unlinked.map(|kernel| (kernel.range, text(&kernel.source))).collect()
}

fn unconfirmed_gpu(config: &Config) -> Vec<(TokenRange, String)> {
    let unconfirmed = config.gpus.iter().filter(|gpu| gpu.confidence == Confidence::Low);
    let text = |name: &str| {
        format!("the capability or the SM count of {name} is not confirmed on a device; declare `arch` instead")
    };
    unconfirmed.map(|gpu| (config.place(&[Argument::Gpu]), text(gpu.name))).collect()
}

/// Returns the use of a deprecated constant.
fn deprecated(name: &str, text: &str, range: TokenRange) -> TokenStream {
    let constant = Ident::new(name, Span::call_site());
    let used = Ident::new(name, range.first);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #constant: () = ();
            #used
        };
    }
}

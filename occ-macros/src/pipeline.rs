//! The stages in their order: arguments and item, configuration, check, expansion.
//!
//! Whatever is wrong, the item comes out again: nothing else in the user's crate may break.

use crate::arguments::Arguments;
use crate::config::{self, Config, Options};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::instances::Instance;
use crate::item::{Item, Kind};
use crate::{check, expand};
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
    let item = Item::parse(item);
    if let Kind::Other { ends, what } = item.kind {
        let ends = if what == "nothing" { arguments.ends.unwrap_or(ends) } else { ends };
        let help = "put it on a function with a body, or on `struct Name;`";
        diagnostics.push(Diagnostic::new(ends, format!("`launch_config` cannot check {what}")).help(help));
        return item.tokens;
    }
    let options = Options::read(&arguments, diagnostics);
    let config = config::read(&arguments, &item, diagnostics);
    let instances = Instance::read(&arguments, &item, diagnostics);

    let mut inside = TokenStream::new();
    if let Some(config) = &config {
        inside.extend(expand::tracked(&config.consulted));
        inside.extend(warnings(config, &options));
        if config.is_known() {
            check::check(config, diagnostics);
        } else if diagnostics.is_empty() {
            for instance in &instances {
                inside.extend(instance_check(&arguments, &item, &options, instance, diagnostics));
            }
            inside.extend(expand::compiled_check(config, &options, &item));
        }
    }
    let mut expansion = item.with(inside);
    expansion.extend(spec(config.as_ref(), &options, &item, diagnostics));
    expansion
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
    let Some(mut config) = config::read(&arguments, item, diagnostics) else {
        return TokenStream::new();
    };
    config.notes.push(format!("with `{}`", instance.name));
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
                diagnostics
                    .push(Diagnostic::new(crate::diagnostics::Ends::one(name.span()), text).help("remove `spec`"));
            }
            let name = Ident::new("SPEC", item.name.span());
            let constant = expand::spec(&name, config, options, item);
            let owner = &item.name;
            quote!(impl #owner { #constant })
        }
        (_, Some(name)) => expand::spec(name, config, options, item),
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

//! The stages in their order: arguments and item, configuration, check, expansion.
//!
//! Whatever is wrong, the item comes out again: nothing else in the user's crate may break.

#[cfg(test)]
mod fuzz;

use crate::arguments::Arguments;
use crate::config::{self, Config};
use crate::diagnostics::{Diagnostics, TokenRange};
use crate::instances::Instance;
use crate::item::{Item, Kind};
use crate::keys::Key;
use crate::options::Options;
use crate::warnings::{self, COMPILED_MIN_BLOCKS};
use crate::{artifact, check, expand, guard, messages, tracking};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Expands the attribute: errors first, then the item with what is added to it.
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
    if let Kind::Other { range, what } = item.kind {
        let range = if what == "nothing" { arguments.range.unwrap_or(range) } else { range };
        diagnostics.push(messages::unsupported_item(range, what));
        return item.tokens;
    }
    // A unit struct is checked outside of its `impl`, where `Self` means nothing.
    let arguments = match item.kind {
        Kind::UnitStruct => Instance::of_struct(&item).substitute(&arguments),
        _ => arguments,
    };
    if let (Kind::UnitStruct, Some(argument)) = (&item.kind, arguments.get(Key::Generic)) {
        diagnostics.push(messages::generic_on_struct(argument.key_range));
    }
    let options = Options::read(&arguments, diagnostics);
    let config = read_config(&arguments, &item, &options, diagnostics);
    let instances = Instance::read(&arguments, &item, diagnostics);
    if let (Some(config), Some(argument), false) = (&config, arguments.get(Key::Instances), instances.is_empty())
        && expand::parameter_in(config, &item).is_none()
    {
        diagnostics.push(messages::unused_instances(argument.key_range));
    }

    let mut inside = TokenStream::new();
    if let Some(config) = &config {
        inside.extend(tracking::variables(&config.variables));
        inside.extend(tracking::files(&artifact::to_track(&config.files)));
        inside.extend(warnings::warnings(config, |name| options.allows(name)));
        check::check(config, diagnostics);
        if !config.is_known() && diagnostics.is_empty() {
            for instance in &instances {
                inside.extend(check_instance(&arguments, &item, &options, instance, diagnostics));
            }
            inside.extend(expand::compiler_checks(config, &options, &item));
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

/// Reads the configuration, without the minimum blocks per SM of compiled kernels if they may be missed.
fn read_config(arguments: &Arguments, item: &Item, options: &Options, diagnostics: &mut Diagnostics) -> Option<Config> {
    let mut config = config::read(arguments, item, diagnostics)?;
    if options.allows(COMPILED_MIN_BLOCKS) {
        for kernel in &mut config.compiled {
            kernel.numbers.min_blocks_per_sm = None;
        }
    }
    Some(config)
}

/// Checks one instance of a generic function, in the macro or by the compiler.
fn check_instance(
    arguments: &Arguments,
    item: &Item,
    options: &Options,
    instance: &Instance,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let Some(mut config) = read_config(&instance.substitute(arguments), item, options, diagnostics) else {
        return TokenStream::new();
    };
    config.notes.push(messages::of_instance(&instance.name));
    if config.is_known() {
        check::check(&config, diagnostics);
        return TokenStream::new();
    }
    expand::compiler_checks(&config, options, item)
}

/// Returns the constant with the checked launch: on a function if it is asked for, on a unit struct always.
fn spec(config: Option<&Config>, options: &Options, item: &Item, diagnostics: &mut Diagnostics) -> TokenStream {
    let config = if diagnostics.is_empty() { config } else { None };
    match (&item.kind, &options.spec) {
        (Kind::UnitStruct, name) => {
            if let Some(name) = name {
                diagnostics.push(messages::spec_on_struct(TokenRange::at(name.span())));
            }
            let name = Ident::new("SPEC", item.name.span());
            let constant = expand::spec(&name, config, options, item);
            let owner = &item.name;
            quote!(impl #owner { #constant })
        }
        (_, Some(name)) => {
            let parameter = config.and_then(|config| expand::parameter_in(config, item));
            if let Some(parameter) = parameter {
                diagnostics.push(messages::generic_spec(TokenRange::at(name.span()), parameter));
            }
            expand::spec(name, config.filter(|_| parameter.is_none()), options, item)
        }
        (_, None) => TokenStream::new(),
    }
}

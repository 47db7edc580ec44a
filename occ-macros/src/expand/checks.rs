//! The check by the compiler, of values that the macro cannot evaluate.

use super::generics::depends_on_generics;
use super::parts::{Bindings, Parts, archs, call_at, gpus, local};
use crate::config::Config;
use crate::item::Item;
use crate::keys::{Key, Needs, ValueKind};
use crate::options::Options;
use crate::value::Value;
use occ_core::{Argument, Rule};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

/// Returns a check for each rule: `const _: () = ..;`, or `const { .. };` if a value depends on a generic parameter.
///
/// The result of a check passes through one call for each argument that an error can point at, since a call has one
/// place: `finish(fail_at(11, fail_at(9, check(..))))`.
pub(crate) fn compiler_checks(config: &Config, options: &Options, item: &Item) -> TokenStream {
    let is_generic = depends_on_generics(config, options, item);
    rules(config)
        .into_iter()
        .map(|rule| {
            let body = if is_plain(config) { plain_check(config, options) } else { full_check(config, options, rule) };
            let mut body = Group::new(Delimiter::Brace, body);
            if is_generic {
                // Of a generic function, the compiler points at the whole constant too.
                let range = config.place(&[Argument::MinOccupancy, Argument::Block]);
                let keyword = Ident::new("const", range.first);
                body.set_span(range.last);
                quote!(#keyword #body;)
            } else {
                quote!(const _: () = #body;)
            }
        })
        .collect()
}

/// Returns the rules that a configuration asks for. That the launch can run is always one.
fn rules(config: &Config) -> Vec<Rule> {
    let mut rules = vec![Rule::Launch];
    for requirement in &config.requirements {
        // The macro has checked the maximums of compiled kernels that it knows.
        let is_checked = matches!(requirement.key.row().kind, ValueKind::Requirement(_, Needs::Cubin))
            && requirement.value.constant().is_none();
        let rule = requirement.key.row().argument.and_then(Argument::rule).filter(|_| !is_checked);
        rules.extend(rule.filter(|rule| *rule != Rule::Launch));
    }
    if !config.compiled.is_empty() && config.registers.as_ref().is_some_and(|value| value.constant().is_some()) {
        rules.push(Rule::Registers);
    }
    if config.compiled.iter().any(|kernel| kernel.numbers.min_blocks_per_sm.is_some()) {
        rules.push(Rule::CompiledMinBlocks);
    }
    rules
}

/// Returns whether only what nearly every launch declares is declared. The compiler then has much less to read: for a
/// thousand launches this difference is the cost of their check.
fn is_plain(config: &Config) -> bool {
    config.notes.is_empty()
        && config.compiled.is_empty()
        && config.gpus.is_empty()
        && config.cluster.is_none()
        && config.grid.is_none()
        && config.carveout.is_none()
        && config.requirements.iter().all(|requirement| requirement.key == Key::MinOccupancy)
}

fn plain_check(config: &Config, options: &Options) -> TokenStream {
    let runtime = &options.runtime;
    let archs = archs(config);
    let [x, y, z] = &config.block;
    let declared = Literal::u8_unsuffixed(match (&config.registers, config.registers_are_cap) {
        (None, _) => 0,
        (Some(_), false) => 1,
        (Some(_), true) => 2,
    });
    let zero = Value::Known(0);
    let registers = config.registers.as_ref().unwrap_or(&zero);
    let values: Vec<TokenStream> = [x, y, z, &config.dynamic_smem, &config.static_smem, registers, &config.barriers]
        .map(|value| match value {
            Value::Known(number) => Literal::u32_unsuffixed(*number).to_token_stream(),
            Value::Constant(tokens) => tokens.clone(),
        })
        .into();
    let (block, resources) = values.split_at(3);
    let mut bindings = Bindings::default();
    let min_occupancy = match config.requirements.first() {
        None => quote!(0.0),
        Some(requirement) => bindings.number(requirement.key.name(), &requirement.value),
    };
    let result = quote!(
        #runtime::__private::check_launch(#archs, [#(#block),*], [#(#resources),*], #declared, #min_occupancy)
    );
    let mut body = bindings.tokens;
    body.extend(through_places(config, Rule::Launch, result, runtime));
    body
}

fn full_check(config: &Config, options: &Options, rule: Rule) -> TokenStream {
    let runtime = &options.runtime;
    let local = local("__occ_check");
    let Parts { bindings, kernel, compiled, ceilings, launch, requirement } = Parts::of(config, options);
    let cap = config.registers_are_cap;
    let archs = archs(config);
    let notes = &config.notes;
    let gpus = gpus(config, runtime);
    let name = Ident::new(&format!("{rule:?}"), Span::call_site());
    let result = quote!(#runtime::__private::check_rule(#runtime::__private::Rule::#name, #archs, #local));
    let result = through_places(config, rule, result, runtime);
    let with_compiled = (!config.compiled.is_empty())
        .then(|| quote!(let #local = #runtime::__private::of_compiled(#local, #compiled, #ceilings);));
    quote!(
        #bindings
        let #local = #runtime::__private::check(#gpus, #kernel, #cap, #launch, #requirement, &[#(#notes),*]);
        #with_compiled
        #result
    )
}

/// Returns `finish(fail_at(11, fail_at(9, result)))`: a call for each place that an error about a rule can point at.
fn through_places(config: &Config, rule: Rule, result: TokenStream, runtime: &TokenStream) -> TokenStream {
    let (limiting, required) = rule.arguments();
    let mut result = result;
    for argument in limiting {
        if let Some(range) = config.written(*argument) {
            let number = Literal::u8_unsuffixed(*argument as u8);
            result = call_at(range, "fail_at", quote!(#number, #result), runtime);
        }
    }
    call_at(config.place(required), "finish", result, runtime)
}

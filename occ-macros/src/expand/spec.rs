//! The checked launch as a constant: the spec.

use super::generics::depends_on_impl;
use super::parts::{Parts, call_at, gpus};
use crate::config::Config;
use crate::diagnostics::TokenRange;
use crate::item::{Item, Kind};
use crate::options::Options;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;

/// Returns `pub const SAXPY: LaunchSpec = ..;`, for beside a function or in an `impl` of a unit struct. Without a
/// configuration it is not checked: the mistake was reported, and uses of the constant must not be.
pub(crate) fn spec(name: &Ident, config: Option<&Config>, options: &Options, item: &Item) -> TokenStream {
    let runtime = &options.runtime;
    let visibility = if matches!(item.kind, Kind::UnitStruct) { quote!(pub) } else { item.visibility.clone() };
    let launch_name = launch_name(options, item);
    let docs = format!("The checked launch of `{launch_name}`.");
    let value = match config {
        Some(config) => {
            let check = may_differ_beside(config, options, item).then(|| TokenRange::at(name.span()));
            spec_value(config, options, item, check)
        }
        None => quote!(#runtime::__private::unchecked_spec(#launch_name)),
    };
    let keyword = Ident::new("const", name.span());
    quote! {
        #[doc = #docs]
        #visibility #keyword #name: #runtime::LaunchSpec = #value;
    }
}

/// Returns a block with the spec as its value. The spec is checked again at a place, if one is given.
pub(crate) fn spec_value(config: &Config, options: &Options, item: &Item, check_at: Option<TokenRange>) -> TokenStream {
    let launch_name = launch_name(options, item);
    let runtime = &options.runtime;
    let Parts { bindings, kernel, compiled, ceilings, launch, requirement } = Parts::of(config, options);
    let archs = config.archs.iter().map(|arch| Ident::new(&arch.name().to_uppercase(), Span::call_site()));
    let cap = config.registers_are_cap;
    let on_mismatch = Ident::new(options.on_mismatch, Span::call_site());
    let gpus = gpus(config, runtime);
    let mut spec = quote!(#runtime::__private::spec(
        #launch_name, &[#(#runtime::__private::Arch::#archs),*], #gpus, #kernel, #cap, #launch, #requirement,
        #runtime::OnMismatch::#on_mismatch,
    ));
    if !config.compiled.is_empty() {
        spec = quote!(#runtime::__private::spec_of_compiled(#spec, #compiled, #ceilings));
    }
    if let Some(place) = check_at {
        spec = call_at(place, "checked", spec, runtime);
    }
    quote!({
        #bindings
        #spec
    })
}

/// Returns the name of the launched kernel: declared, else that of the item.
fn launch_name(options: &Options, item: &Item) -> String {
    options.kernel.clone().unwrap_or_else(|| item.plain_name())
}

/// Returns whether a constant beside the function may be another one than in its body, where it is checked.
fn may_differ_beside(config: &Config, options: &Options, item: &Item) -> bool {
    let Kind::Function { body, .. } = &item.kind else {
        return false;
    };
    depends_on_impl(config, options) || !config.is_known() && may_declare_items(&body.stream())
}

/// Returns whether code may declare an item, itself or by a macro other than `launch!`.
fn may_declare_items(tokens: &TokenStream) -> bool {
    let mut before = String::new();
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            before = ident.to_string();
            matches!(
                before.as_str(),
                "const" | "static" | "use" | "enum" | "struct" | "union" | "type" | "fn" | "mod" | "trait" | "extern"
            )
        }
        TokenTree::Punct(punct) => punct.as_char() == '!' && !before.is_empty() && before != "launch",
        TokenTree::Group(group) => {
            before.clear();
            may_declare_items(&group.stream())
        }
        TokenTree::Literal(_) => false,
    })
}

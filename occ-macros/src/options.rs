//! What an attribute asks for besides the launch configuration.

use crate::arguments::{Arg, Arguments};
use crate::diagnostics::{Diagnostic, Diagnostics, TokenRange};
use crate::keys::Key;
use crate::messages;
use crate::tokens::{comma_separated, ungrouped};
use crate::value::{Evaluated, evaluate};
use crate::warnings;
use occ_core::internal::did_you_mean;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::parse::Parser;

/// What an attribute asks for besides the launch configuration.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Name of the constant for the checked launch.
    pub(crate) spec: Option<Ident>,
    /// Path of `occ_runtime`.
    pub(crate) runtime: TokenStream,
    /// Variant of `OnMismatch`.
    pub(crate) on_mismatch: &'static str,
    /// Names of silenced warnings.
    pub(crate) allow: Vec<String>,
    /// Whether the check depends on the surrounding `impl`.
    pub(crate) generic: bool,
    /// The kernel that is named.
    pub(crate) kernel: Option<String>,
}

impl Options {
    /// Reads the options and reports every mistake in them.
    pub(crate) fn read(arguments: &Arguments, diagnostics: &mut Diagnostics) -> Options {
        let spec = arguments.get(Key::Spec).and_then(|argument| diagnostics.ok(spec_name(argument)));
        let runtime = arguments.get(Key::Crate).and_then(|argument| diagnostics.ok(runtime_path(argument)));
        let on_mismatch = arguments.get(Key::OnMismatch).and_then(|argument| diagnostics.ok(on_mismatch(argument)));
        Options {
            spec,
            runtime: runtime.unwrap_or_else(|| quote!(::occ_runtime)),
            on_mismatch: on_mismatch.unwrap_or("Error"),
            allow: arguments.get(Key::Allow).map_or_else(Vec::new, |argument| allowed(argument, diagnostics)),
            generic: arguments.get(Key::Generic).is_some(),
            kernel: arguments.kernel(),
        }
    }

    /// Returns whether a warning is silenced.
    pub(crate) fn allows(&self, warning: &str) -> bool {
        self.allow.iter().any(|allowed| allowed == warning)
    }
}

fn spec_name(argument: &Arg) -> Result<Ident, Diagnostic> {
    let tokens: TokenStream = ungrouped(&argument.value).into_iter().collect();
    syn::parse2(tokens).map_err(|_| argument.expected(argument.range, "a name"))
}

fn runtime_path(argument: &Arg) -> Result<TokenStream, Diagnostic> {
    let tokens = ungrouped(&argument.value);
    let is_absolute = match tokens.first() {
        Some(TokenTree::Ident(first)) => first == "crate" || first == "$crate",
        Some(TokenTree::Punct(first)) => first.as_char() == ':' || first.as_char() == '$',
        _ => false,
    };
    let path: TokenStream = tokens.into_iter().collect();
    if is_absolute && syn::Path::parse_mod_style.parse2(path.clone()).is_ok() {
        return Ok(path);
    }
    Err(argument.expected(argument.range, "an absolute path"))
}

fn on_mismatch(argument: &Arg) -> Result<&'static str, Diagnostic> {
    match evaluate(&argument.value)? {
        Evaluated::Text(text) if text == "error" => Ok("Error"),
        Evaluated::Text(text) if text == "warn" => Ok("Warn"),
        Evaluated::Text(text) if text == "ignore" => Ok("Ignore"),
        _ => Err(messages::not_a_mode(argument.range)),
    }
}

fn allowed(argument: &Arg, diagnostics: &mut Diagnostics) -> Vec<String> {
    let known: Vec<&str> = warnings::WARNINGS.iter().map(|warning| warning.name).collect();
    let value = ungrouped(&argument.value);
    let pieces = match &value[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => comma_separated(group),
        _ => vec![value],
    };
    let mut names = Vec::new();
    for piece in pieces {
        let range = TokenRange::of(&piece).unwrap_or(argument.range);
        let text = piece.into_iter().collect::<TokenStream>().to_string();
        if known.contains(&text.as_str()) {
            names.push(text);
        } else if let Some(name) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            diagnostics.push(messages::quoted_warning(range, name));
        } else {
            let error = messages::unknown_warning(range, &text);
            diagnostics.push(match did_you_mean(&text, &known) {
                Some(nearest) => error.help(messages::did_you_mean(nearest)),
                None => error.note(messages::known_warnings(messages::names(&known))),
            });
        }
    }
    names
}

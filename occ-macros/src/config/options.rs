//! What an attribute asks for besides the launch configuration itself.

use crate::arguments::{Argument as Given, Arguments, Key};
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::launch_site::axes_in;
use crate::value::{Written, evaluate, visible};
use occ_core::internal::did_you_mean;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::Parser;

/// What the runtime does when the driver contradicts the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMismatch {
    Error,
    Warn,
    Ignore,
}

/// Warnings that can be silenced by name.
const WARNINGS: [&str; 5] =
    ["compiled_min_blocks", "partial_warp", "single_thread", "unconfirmed_gpu", "unlinked_kernel"];

/// What an attribute asks for besides the launch configuration itself.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) spec: Option<Ident>,
    pub(crate) runtime: TokenStream,
    pub(crate) on_mismatch: OnMismatch,
    pub(crate) allow: Vec<String>,
    pub(crate) generic: bool,
    /// The kernel that is named.
    pub(crate) kernel: Option<String>,
}

impl Options {
    pub(crate) fn read(arguments: &Arguments, diagnostics: &mut Diagnostics) -> Options {
        Options {
            spec: arguments.get(Key::Spec).and_then(|given| spec_name(given, diagnostics)),
            runtime: runtime_path(arguments, diagnostics),
            on_mismatch: on_mismatch(arguments, diagnostics),
            allow: arguments.get(Key::Allow).map_or_else(Vec::new, |given| allowed(given, diagnostics)),
            generic: arguments.get(Key::Generic).is_some(),
            kernel: arguments.kernel(),
        }
    }

    pub(crate) fn allows(&self, warning: &str) -> bool {
        self.allow.iter().any(|allowed| allowed == warning)
    }
}

fn spec_name(given: &Given, diagnostics: &mut Diagnostics) -> Option<Ident> {
    let tokens: TokenStream = visible(&given.value).into_iter().collect();
    match syn::parse2::<Ident>(tokens) {
        Ok(name) => Some(name),
        Err(_) => {
            diagnostics.push(Diagnostic::new(given.ends, "`spec` must be a name").help("such as `spec = SAXPY`"));
            None
        }
    }
}

fn runtime_path(arguments: &Arguments, diagnostics: &mut Diagnostics) -> TokenStream {
    let default = || quote::quote!(::occ_runtime);
    let Some(given) = arguments.get(Key::Crate) else {
        return default();
    };
    let tokens = visible(&given.value);
    let is_absolute = match tokens.first() {
        Some(TokenTree::Ident(first)) => first == "crate" || first == "$crate",
        Some(TokenTree::Punct(first)) => first.as_char() == ':' || first.as_char() == '$',
        _ => false,
    };
    let path: TokenStream = tokens.into_iter().collect();
    if is_absolute && syn::Path::parse_mod_style.parse2(path.clone()).is_ok() {
        return path;
    }
    let help = "such as `crate = ::my_runtime::occ_runtime`";
    diagnostics.push(Diagnostic::new(given.ends, "`crate` must be an absolute path").help(help));
    default()
}

fn on_mismatch(arguments: &Arguments, diagnostics: &mut Diagnostics) -> OnMismatch {
    let Some(given) = arguments.get(Key::OnMismatch) else {
        return OnMismatch::Error;
    };
    match evaluate(&given.value) {
        Ok(Written::Text(text)) if text == "error" => OnMismatch::Error,
        Ok(Written::Text(text)) if text == "warn" => OnMismatch::Warn,
        Ok(Written::Text(text)) if text == "ignore" => OnMismatch::Ignore,
        Err(error) => {
            diagnostics.push(error);
            OnMismatch::Error
        }
        _ => {
            diagnostics.error(given.ends, "`on_mismatch` must be `\"error\"`, `\"warn\"` or `\"ignore\"`");
            OnMismatch::Error
        }
    }
}

fn allowed(given: &Given, diagnostics: &mut Diagnostics) -> Vec<String> {
    let value = visible(&given.value);
    let inside = match &value[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => axes_in(group),
        _ => vec![value],
    };
    let mut names = Vec::new();
    for piece in inside {
        match &piece[..] {
            [TokenTree::Ident(name)] if WARNINGS.contains(&name.to_string().as_str()) => names.push(name.to_string()),
            piece => {
                let ends = Ends::of(piece).unwrap_or(given.ends);
                let text = piece.iter().cloned().collect::<TokenStream>().to_string();
                if let Some(name) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    let error = Diagnostic::new(ends, "warnings are named without quotes");
                    diagnostics.push(error.help(&format!("write `allow = ({name})`")));
                    continue;
                }
                let error = Diagnostic::new(ends, format!("there is no warning `{text}`"));
                diagnostics.push(match did_you_mean(&text, &WARNINGS) {
                    Some(nearest) => error.help(&format!("did you mean `{nearest}`?")),
                    None => error.note(
                        "what can be allowed is `compiled_min_blocks`, `partial_warp`, `single_thread`, `unconfirmed_gpu` and `unlinked_kernel`",
                    ),
                });
            }
        }
    }
    names
}

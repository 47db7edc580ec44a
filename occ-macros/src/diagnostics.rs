//! Errors with a place in the user's code, collected so that one build shows all mistakes of an attribute.

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use std::fmt::Display;

/// A range of the user's tokens, as the spans of its first and last token.
///
/// Stable Rust cannot join spans; the compiler does so itself when the first and the last token of an error carry them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenRange {
    /// Span of the first token.
    pub(crate) first: Span,
    /// Span of the last token.
    pub(crate) last: Span,
}

impl TokenRange {
    /// Returns the range of a value. A fragment of `macro_rules!` is where it was passed in, not where it is used.
    pub(crate) fn of(tokens: &[TokenTree]) -> Option<TokenRange> {
        Some(TokenRange { first: outer_span(tokens.first()?, true), last: outer_span(tokens.last()?, false) })
    }

    /// Returns the range of one span.
    pub(crate) fn at(span: Span) -> TokenRange {
        TokenRange { first: span, last: span }
    }
}

/// Returns the span of a token, or of the first or last token inside its invisible group.
fn outer_span(token: &TokenTree, first: bool) -> Span {
    if let TokenTree::Group(group) = token
        && group.delimiter() == Delimiter::None
    {
        let mut inside = group.stream().into_iter();
        let outer = if first { inside.next() } else { inside.last() };
        if let Some(outer) = outer {
            return outer_span(&outer, first);
        }
    }
    token.span()
}

/// An error: a headline, then notes that explain it and help that fixes it.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    /// Tokens it underlines.
    pub(crate) range: TokenRange,
    /// Headline, and a line for each note and help.
    pub(crate) text: String,
}

impl Diagnostic {
    /// Creates an error with a headline.
    pub(crate) fn new(range: TokenRange, text: impl Into<String>) -> Self {
        Diagnostic { range, text: text.into() }
    }

    /// Adds a fact that explains it, before any help.
    pub(crate) fn note(mut self, note: impl Display) -> Self {
        let end = self.text.find("\n= help: ").unwrap_or(self.text.len());
        self.text.insert_str(end, &format!("\n= note: {note}"));
        self
    }

    /// Adds an imperative that fixes it.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.text.push_str("\n= help: ");
        self.text.push_str(&help.to_string());
        self
    }

    /// Adds help, if there is any.
    pub(crate) fn maybe_help(self, help: Option<impl Display>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Appends `::core::compile_error! { "text" }`, spanned so that the compiler underlines the range.
    fn to_tokens(&self, into: &mut TokenStream) {
        let TokenRange { first, last } = self.range;
        let mut literal = Literal::string(&self.text);
        literal.set_span(last);
        let mut text = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
        text.set_span(last);
        into.extend(quote_spanned!(first=> ::core::compile_error!));
        into.extend([TokenTree::from(text)]);
    }
}

/// Collects errors. In a debug build, dropping it without taking the errors panics.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: Vec<Diagnostic>,
    taken: bool,
}

impl Diagnostics {
    /// Adds an error.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Returns the value, or adds the error.
    pub(crate) fn ok<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Returns whether there is no error so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the errors as `compile_error!` items.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let mut tokens = TokenStream::new();
        for error in self.into_errors() {
            error.to_tokens(&mut tokens);
        }
        tokens
    }

    /// Returns the errors.
    pub(crate) fn into_errors(mut self) -> Vec<Diagnostic> {
        self.taken = true;
        std::mem::take(&mut self.errors)
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        debug_assert!(self.taken || std::thread::panicking(), "errors of an attribute were collected but not reported");
    }
}

//! Errors with a place in the user's code, collected so that all of an attribute's mistakes show in one build.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// A stretch of the user's tokens: from the first to the last.
///
/// On stable Rust spans cannot be joined; the compiler joins them itself when the first token of an error carries the
/// one and its last token the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) first: Span,
    pub(crate) last: Span,
}

impl Ends {
    /// Where a value stands: for a fragment of `macro_rules!` where it was handed in, not where it is used.
    pub(crate) fn of(tokens: &[TokenTree]) -> Option<Ends> {
        Some(Ends { first: visible_end(tokens.first()?, true), last: visible_end(tokens.last()?, false) })
    }

    pub(crate) fn one(span: Span) -> Ends {
        Ends { first: span, last: span }
    }
}

/// The span of a token, or of the first or last one inside invisible parentheses.
fn visible_end(token: &TokenTree, first: bool) -> Span {
    if let TokenTree::Group(group) = token
        && group.delimiter() == Delimiter::None
    {
        let mut inside = group.stream().into_iter();
        let end = if first { inside.next() } else { inside.last() };
        if let Some(end) = end {
            return visible_end(&end, first);
        }
    }
    token.span()
}

/// One error: what is wrong, then what explains it, then what to write.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) ends: Ends,
    pub(crate) text: String,
}

impl Diagnostic {
    pub(crate) fn new(ends: Ends, text: impl Into<String>) -> Self {
        Diagnostic { ends, text: text.into() }
    }

    pub(crate) fn note(mut self, note: &str) -> Self {
        self.text.push_str("\n= note: ");
        self.text.push_str(note);
        self
    }

    pub(crate) fn help(mut self, help: &str) -> Self {
        self.text.push_str("\n= help: ");
        self.text.push_str(help);
        self
    }

    /// With a line that says itself whether it is a note or a help.
    pub(crate) fn with_line(mut self, line: &str) -> Self {
        self.text.push_str("\n= ");
        self.text.push_str(line);
        self
    }

    /// `::core::compile_error! { "text" }`, underlining what the error is about.
    fn to_tokens(&self, into: &mut TokenStream) {
        let Ends { first, last } = self.ends;
        let mut literal = Literal::string(&self.text);
        literal.set_span(last);
        let mut text = Group::new(Delimiter::Brace, TokenTree::from(literal).into());
        text.set_span(last);
        for segment in ["core", "compile_error"] {
            for spacing in [Spacing::Joint, Spacing::Alone] {
                let mut colon = Punct::new(':', spacing);
                colon.set_span(first);
                into.extend([TokenTree::from(colon)]);
            }
            into.extend([TokenTree::from(Ident::new(segment, first))]);
        }
        let mut bang = Punct::new('!', Spacing::Alone);
        bang.set_span(first);
        into.extend([TokenTree::from(bang), TokenTree::from(text)]);
    }
}

/// Collects errors. Dropping it without having asked for them is a mistake of this crate.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    errors: Vec<Diagnostic>,
    taken: bool,
}

impl Diagnostics {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    pub(crate) fn error(&mut self, ends: Ends, text: impl Into<String>) {
        self.push(Diagnostic::new(ends, text));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors, as items of the compiler's own error macro.
    pub(crate) fn into_tokens(self) -> TokenStream {
        let mut tokens = TokenStream::new();
        for error in self.into_errors() {
            error.to_tokens(&mut tokens);
        }
        tokens
    }

    pub(crate) fn into_errors(mut self) -> Vec<Diagnostic> {
        self.taken = true;
        std::mem::take(&mut self.errors)
    }
}

impl Drop for Diagnostics {
    fn drop(&mut self) {
        debug_assert!(
            self.taken || std::thread::panicking(),
            "the errors of an attribute were collected and not shown"
        );
    }
}

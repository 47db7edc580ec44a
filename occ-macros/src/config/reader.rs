//! The state of reading a configuration.

use crate::arguments::Arguments;
use crate::defaults;
use crate::diagnostics::{Diagnostic, Diagnostics, TokenRange};
use crate::item::Item;
use occ_core::Argument;

/// Reads a configuration and reports every mistake on the way.
pub(super) struct Reader<'a> {
    pub(super) arguments: &'a Arguments,
    diagnostics: &'a mut Diagnostics,
    /// Where arguments are written, also those that a launch supplies.
    pub(super) places: Vec<(Argument, TokenRange)>,
    pub(super) notes: Vec<String>,
    pub(super) variables: Vec<&'static str>,
    pub(super) files: Vec<String>,
    /// Where to point for what is not written.
    pub(super) fallback: TokenRange,
    /// Whether the function has several `launch_config` attributes, each for some of its launches.
    pub(super) has_siblings: bool,
    /// Whether nothing was reported so far.
    pub(super) is_valid: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(arguments: &'a Arguments, item: &Item, diagnostics: &'a mut Diagnostics) -> Self {
        Reader {
            arguments,
            diagnostics,
            places: arguments.places(),
            notes: Vec::new(),
            variables: Vec::new(),
            files: Vec::new(),
            fallback: arguments.range.unwrap_or(TokenRange::at(item.name.span())),
            has_siblings: arguments.has_siblings || !item.siblings.is_empty(),
            is_valid: true,
        }
    }

    /// Reports a mistake.
    pub(super) fn error(&mut self, error: Diagnostic) {
        self.is_valid = false;
        self.diagnostics.push(error);
    }

    /// Returns a default from the environment, and remembers that the variable was read.
    pub(super) fn default(&mut self, variable: &'static str) -> Option<String> {
        self.variables.push(variable);
        defaults::read(variable)
    }
}

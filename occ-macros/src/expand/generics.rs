//! Whether the values of a configuration depend on generic parameters or on the surrounding `impl`.

use crate::config::Config;
use crate::item::{Item, Kind};
use crate::options::Options;
use crate::tokens::mentions;

/// Returns whether a value is known only when a generic function is instantiated, or inside its `impl`.
pub(crate) fn depends_on_generics(config: &Config, options: &Options, item: &Item) -> bool {
    depends_on_impl(config, options) || parameter_in(config, item).is_some()
}

/// Returns whether a value is known only inside the surrounding `impl`.
pub(super) fn depends_on_impl(config: &Config, options: &Options) -> bool {
    options.generic || config.constants().any(|tokens| mentions(tokens, &|name| name == "Self"))
}

/// Returns a parameter of the function that a value depends on.
pub(crate) fn parameter_in<'i>(config: &Config, item: &'i Item) -> Option<&'i str> {
    let Kind::Function { generics, .. } = &item.kind else {
        return None;
    };
    let is_used = |name: &str| config.constants().any(|tokens| mentions(tokens, &|mentioned| mentioned == name));
    generics.iter().map(|parameter| parameter.name.as_str()).find(|name| is_used(name))
}

//! Block, shared memory and registers: declared, or from the launches in the function, which must not contradict them.

use super::model::{Axes, known_axes};
use super::reader::Reader;
use crate::arguments::Arg;
use crate::diagnostics::TokenRange;
use crate::item::Item;
use crate::keys::Key;
use crate::launch_site::{LaunchSite, Launches, axes_in_launch, block_axes, run_time_part};
use crate::messages;
use crate::share::{may_be_for, siblings};
use crate::tokens::{contains_ident, mentions, ungrouped};
use crate::value::{Evaluated, Value, evaluate};
use occ_core::Argument;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

impl Reader<'_> {
    /// Returns the declared block, or that of the launches.
    pub(super) fn block(&mut self, launches: &Launches) -> Option<Axes> {
        let sites = &launches.sites;
        if let Some(argument) = self.arguments.get(Key::Block) {
            let block = self.axes(Key::Block)?;
            self.matches_launches(argument, sites, &|site| {
                let (here, there) = (known_axes(&block)?, axes_in_launch(&site.block)?);
                (here != there).then(|| (axes_text(here), axes_text(there)))
            });
            return Some(block);
        }
        if self.arguments.may_have(Key::Block) {
            return None;
        }
        let Some(site) = sites.first().filter(|site| !self.is_own_spec(&site.block)) else {
            self.error(messages::missing_block(self.fallback));
            return None;
        };
        let argument = self.supplied(Key::Block, Argument::Block, launches, &site.block)?;
        self.axes_of(&argument.with(block_axes(&site.block)))
    }

    /// Returns the declared dynamic shared memory, or that of the launches.
    pub(super) fn dynamic_smem(&mut self, launches: &Launches) -> Option<Value<u32>> {
        let sites = &launches.sites;
        if let Some(argument) = self.arguments.get(Key::DynamicSmem) {
            let bytes = self.number(Key::DynamicSmem)?;
            self.matches_launches(argument, sites, &|site| match (bytes.known()?, evaluate(&site.dynamic_smem)) {
                (here, Ok(Evaluated::Integer(there))) if there != i128::from(here) => {
                    Some((here.to_string(), there.to_string()))
                }
                _ => None,
            });
            return Some(bytes);
        }
        if self.arguments.may_have(Key::DynamicSmem) {
            return None;
        }
        match sites.first() {
            // A launch made from the spec uses what is declared, which is none.
            Some(site) if all_alike(sites, Key::DynamicSmem) && self.is_own_spec(&site.dynamic_smem) => {
                Some(Value::Known(0))
            }
            Some(site) => {
                let argument = self.supplied(Key::DynamicSmem, Argument::DynamicSmem, launches, &site.dynamic_smem)?;
                self.integer(&argument, 0)
            }
            None => Some(Value::Known(0)),
        }
    }

    /// Returns the declared registers, and whether they are a maximum.
    pub(super) fn registers(&mut self) -> (Option<Value<u32>>, bool) {
        let exact = self.number(Key::Registers);
        match self.arguments.get(Key::MaxRegisters) {
            Some(max) if self.arguments.may_have(Key::Registers) => {
                self.error(messages::both_registers(max.key_range));
                (exact, false)
            }
            Some(_) => (self.number(Key::MaxRegisters), true),
            None => (exact, false),
        }
    }

    /// Returns the value of the launches as an argument, if it can be checked before run time.
    fn supplied(&mut self, key: Key, argument: Argument, launches: &Launches, tokens: &[TokenTree]) -> Option<Arg> {
        if !all_alike(&launches.sites, key) {
            return None;
        }
        let range = TokenRange::of(tokens)?;
        let name = key.name();
        let expression = tokens.iter().cloned().collect();
        let is_inner = |name: &str| launches.inner_names.iter().any(|inner| inner == name || inner == "*");
        let error = if let Some(spec) = self.own_spec().filter(|spec| contains_ident(tokens, spec)) {
            messages::circular_spec(range, name, spec)
        } else if mentions(&expression, &is_inner) {
            messages::inner_item(range, name)
        } else if let Some(variable) = run_time_part(tokens) {
            messages::run_time_value(variable, name)
        } else {
            self.places.push((argument, range));
            return Some(Arg { key, key_range: range, value: tokens.to_vec(), range });
        };
        self.error(error);
        None
    }

    /// Reports launches that cannot be read, or that differ, if they must supply what is not declared.
    pub(super) fn launches_agree(&mut self, launches: &Launches) {
        let mut missing = vec![Key::Block, Key::DynamicSmem];
        missing.retain(|key| !self.arguments.may_have(*key));
        let names = |keys: &[Key]| messages::names(keys.iter().map(|key| key.name()));
        if let (Some(range), false) = (launches.unreadable.first(), missing.is_empty()) {
            self.error(messages::unreadable_launch(*range, names(&missing)));
            return;
        }
        missing.retain(|key| !all_alike(&launches.sites, *key));
        if !missing.is_empty() {
            self.error(messages::differing_launches(self.fallback, launches.sites.len(), names(&missing)));
        }
    }

    /// Reports a launch that no attribute of the function is for. The first attribute sees all of them.
    pub(super) fn every_launch_is_declared(&mut self, item: &Item, launches: &Launches) {
        if self.arguments.has_siblings || item.siblings.is_empty() && self.arguments.kernel().is_none() {
            return;
        }
        let siblings = siblings(item);
        for site in &launches.sites {
            if !siblings.iter().chain([self.arguments]).any(|arguments| may_be_for(arguments, site)) {
                let range = TokenRange::of(&site.block).unwrap_or(self.fallback);
                let help = match &site.kernel {
                    Some(kernel) => messages::add_launch_config_of(kernel),
                    None => messages::add_launch_config(),
                };
                self.error(messages::undeclared_launch(range).help(help));
            }
        }
    }

    /// Returns whether a launch takes a value from the constant that this attribute generates, unchanged:
    /// `K.shape().dynamic_smem` or `Self::K.shape().block`.
    fn is_own_spec(&self, tokens: &[TokenTree]) -> bool {
        self.own_spec().is_some_and(|name| contains_ident(tokens, &name))
            && tokens.iter().all(|token| match token {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(punct) => matches!(punct.as_char(), '.' | ':'),
                TokenTree::Group(group) => group.stream().is_empty() || group.delimiter() == Delimiter::Bracket,
                TokenTree::Literal(_) => false,
            })
    }

    /// Returns the name of the constant that this attribute generates.
    fn own_spec(&self) -> Option<String> {
        let argument = self.arguments.get(Key::Spec)?;
        Some(ungrouped(&argument.value).into_iter().collect::<TokenStream>().to_string())
    }

    /// Reports a declared value that a launch contradicts. With several attributes on the function each is for some of
    /// its launches, so one that agrees is enough.
    fn matches_launches(
        &mut self,
        argument: &Arg,
        sites: &[LaunchSite],
        difference: &dyn Fn(&LaunchSite) -> Option<(String, String)>,
    ) {
        let differences: Vec<(String, String)> = sites.iter().filter_map(difference).collect();
        if let Some((declared, launched)) = differences.first()
            && !(self.has_siblings && differences.len() < sites.len())
        {
            let (range, name) = (argument.range, argument.key.name());
            let help = match sites.len() {
                1 => messages::agree(name, launched, declared),
                _ => messages::one_for_each_launch(),
            };
            self.error(messages::contradiction(range, name, declared, launched).help(help));
        }
    }
}

/// Returns whether all launches write what they supply for a key alike.
fn all_alike(sites: &[LaunchSite], key: Key) -> bool {
    // `256` and `(256, 1, 1)` are alike; constants are if their tokens are.
    let text = |site: &LaunchSite| {
        let tokens = if key == Key::Block { &site.block } else { &site.dynamic_smem };
        match axes_in_launch(tokens) {
            Some(axes) => axes_text(axes),
            None => tokens.iter().cloned().collect::<TokenStream>().to_string(),
        }
    };
    sites.windows(2).all(|pair| text(&pair[0]) == text(&pair[1]))
}

/// Returns axes as they are written: `256` or `(16, 16)`.
fn axes_text(axes: [u32; 3]) -> String {
    occ_core::internal::Value::Axes(axes).to_string()
}

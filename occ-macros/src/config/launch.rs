//! Block and shared memory: declared, or from the launches of the function's body, which must not contradict them.

use super::numbers::{Source, in_axes, known_axes};
use super::{Axes, Reader};
use crate::arguments::{Argument as Given, Key};
use crate::diagnostics::{Diagnostic, Ends};
use crate::item::{Item, Kind};
use crate::launch_site::{LaunchSite, block_axes, run_time_part};
use crate::value::{Value, Written, evaluate, mentions, visible};
use occ_core::Argument;
use proc_macro2::{TokenStream, TokenTree};

impl Reader<'_> {
    pub(super) fn block(&mut self, sites: &[LaunchSite]) -> Option<Axes> {
        if let Some(given) = self.arguments.get(Key::Block) {
            let block = self.axes(Key::Block, Argument::Block);
            if let Some(block) = &block {
                self.contradiction(given, sites, "block", &|site| {
                    let axes = known_axes(&block_axes(&site.block))?;
                    let declared = [block[0].known()?, block[1].known()?, block[2].known()?];
                    (axes != declared).then(|| (in_axes(declared), in_axes(axes)))
                });
            }
            return block;
        }
        if self.arguments.has(Key::Block) {
            return None;
        }
        let Some(site) = sites.first().filter(|site| !self.is_own_spec(&site.block)) else {
            let text = "`block` is missing: how many threads does a block have?";
            self.error(Diagnostic::new(self.elsewhere, text).help("add `block = 256`, or whatever is launched"));
            return None;
        };
        if !all_alike(sites, Part::Block) {
            return None;
        }
        self.known_before_run_time("block", &site.block)?;
        let ends = Ends::of(&site.block)?;
        self.places.push((Argument::Block, ends));
        let axes = block_axes(&site.block);
        self.read_axes(&axes, "block", ends)
    }

    pub(super) fn dynamic_smem(&mut self, sites: &[LaunchSite]) -> Option<Value<u32>> {
        if let Some(given) = self.arguments.get(Key::DynamicSmem) {
            let bytes = self.number(Key::DynamicSmem, Argument::DynamicSmem, 0);
            if let Some(bytes) = &bytes {
                self.contradiction(given, sites, "dynamic_smem", &|site| match evaluate(&site.dynamic_smem) {
                    Ok(Written::Integer(launched)) if launched != i128::from(bytes.known()?) => {
                        Some((bytes.known()?.to_string(), launched.to_string()))
                    }
                    _ => None,
                });
            }
            return bytes;
        }
        if self.arguments.has(Key::DynamicSmem) {
            return None;
        }
        let Some(site) = sites.first() else {
            return Some(Value::Known(0));
        };
        if !all_alike(sites, Part::DynamicSmem) {
            return None;
        }
        // A launch made from the spec launches what is declared, which is none.
        if self.is_own_spec(&site.dynamic_smem) {
            return Some(Value::Known(0));
        }
        self.known_before_run_time("dynamic_smem", &site.dynamic_smem)?;
        let ends = Ends::of(&site.dynamic_smem)?;
        self.places.push((Argument::DynamicSmem, ends));
        self.read_number(&Source { name: "dynamic_smem", tokens: &site.dynamic_smem, ends }, 0)
    }

    /// Reports launches that differ in something that was not declared.
    pub(super) fn launches_agree(&mut self, sites: &[LaunchSite]) {
        let undecided: Vec<String> = [(Key::Block, Part::Block), (Key::DynamicSmem, Part::DynamicSmem)]
            .into_iter()
            .filter(|(key, part)| !self.arguments.has(*key) && !all_alike(sites, *part))
            .map(|(key, _)| format!("`{}`", key.name()))
            .collect();
        if !undecided.is_empty() {
            let text = format!("this function has {} launches that differ: which one is this?", sites.len());
            let help = format!("declare {}", undecided.join(" and "));
            self.error(Diagnostic::new(self.elsewhere, text).help(&help));
        }
    }

    /// Whether a launch takes a value from the constant that this attribute makes.
    pub(super) fn is_own_spec(&self, tokens: &[TokenTree]) -> bool {
        let Some(given) = self.arguments.get(Key::Spec) else {
            return false;
        };
        let name = visible(&given.value).iter().cloned().collect::<TokenStream>().to_string();
        mentions(&tokens.iter().cloned().collect(), &|ident| ident == name)
    }

    /// Refuses a value that only exists at run time.
    pub(super) fn known_before_run_time(&mut self, name: &str, tokens: &[TokenTree]) -> Option<()> {
        let Some(ends) = run_time_part(tokens) else {
            return Some(());
        };
        let text = "this is only known at run time, so the launch cannot be checked";
        let help = format!("declare `{name} = ..` in `launch_config`: that is what is checked then");
        self.error(Diagnostic::new(ends, text).help(&help));
        None
    }

    /// A declared value that no launch in the body agrees with, where all are known.
    pub(super) fn contradiction(
        &mut self,
        given: &Given,
        sites: &[LaunchSite],
        name: &str,
        differs: &dyn Fn(&LaunchSite) -> Option<(String, String)>,
    ) {
        let different: Option<Vec<(String, String)>> = sites.iter().map(differs).collect();
        if let Some(different) = different
            && let Some((declared, launched)) = different.first()
        {
            let text = format!("`{name}` is {declared}, but the function launches {launched}");
            let help = format!("write `{name} = {launched}`, or launch what is declared");
            self.error(Diagnostic::new(given.ends, text).help(&help));
        }
    }
}

impl LaunchSite {
    /// The launches of a function's body: they supply what was not declared, and must not contradict what was.
    pub(super) fn of(item: &Item) -> Vec<LaunchSite> {
        match &item.kind {
            Kind::Function { body, .. } => LaunchSite::find_all(body),
            _ => Vec::new(),
        }
    }
}

/// What a launch can supply.
#[derive(Clone, Copy)]
enum Part {
    Block,
    DynamicSmem,
}

/// Whether all launches are written alike in one part.
fn all_alike(sites: &[LaunchSite], part: Part) -> bool {
    let text = |site: &LaunchSite| {
        let tokens = match part {
            Part::Block => &site.block,
            Part::DynamicSmem => &site.dynamic_smem,
        };
        tokens.iter().cloned().collect::<TokenStream>().to_string()
    };
    sites.windows(2).all(|pair| text(&pair[0]) == text(&pair[1]))
}

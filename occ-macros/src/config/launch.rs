//! Block and shared memory: declared, or from the launches of the function's body, which must not contradict them.

use super::numbers::{Source, in_axes, known_axes};
use super::{Axes, Reader};
use crate::arguments::{Argument as Given, Arguments, Key};
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::item::{Item, Kind};
use crate::launch_site::{LaunchSite, Launches, block_axes, run_time_part};
use crate::value::{Value, Written, evaluate, mentions, visible};
use occ_core::Argument;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

impl Reader<'_> {
    pub(super) fn block(&mut self, launches: &Launches) -> Option<Axes> {
        let sites = &launches.sites;
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
        self.known_before_run_time("block", &site.block, launches)?;
        let ends = Ends::of(&site.block)?;
        self.places.push((Argument::Block, ends));
        let axes = block_axes(&site.block);
        self.read_axes(&axes, "block", ends)
    }

    pub(super) fn dynamic_smem(&mut self, launches: &Launches) -> Option<Value<u32>> {
        let sites = &launches.sites;
        if let Some(given) = self.arguments.get(Key::DynamicSmem) {
            let bytes = self.number(Key::DynamicSmem, Argument::DynamicSmem, 0);
            if let Some(bytes) = &bytes {
                self.contradiction(given, sites, "dynamic_smem", &|site| match evaluate(&site.dynamic_smem) {
                    Ok(Written::Integer(there)) if there != i128::from(bytes.known()?) => {
                        Some((bytes.known()?.to_string(), there.to_string()))
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
        self.known_before_run_time("dynamic_smem", &site.dynamic_smem, launches)?;
        let ends = Ends::of(&site.dynamic_smem)?;
        self.places.push((Argument::DynamicSmem, ends));
        self.read_number(&Source { name: "dynamic_smem", tokens: &site.dynamic_smem, ends }, 0)
    }

    /// Reports launches that cannot be read, or that differ, where they are to supply what was not declared.
    pub(super) fn launches_agree(&mut self, launches: &Launches) {
        let parts = [(Key::Block, Part::Block), (Key::DynamicSmem, Part::DynamicSmem)];
        let missing = parts.into_iter().filter(|(key, _)| !self.arguments.has(*key));
        let names = |parts: &[(Key, Part)]| {
            parts.iter().map(|(key, _)| format!("`{}`", key.name())).collect::<Vec<_>>().join(" and ")
        };
        let missing: Vec<(Key, Part)> = missing.collect();
        if let (Some(ends), false) = (launches.unreadable.first(), missing.is_empty()) {
            let error = Diagnostic::new(*ends, "this launch cannot be read");
            self.error(error.help(&format!("declare {} in `launch_config`", names(&missing))));
            return;
        }
        let differing: Vec<(Key, Part)> =
            missing.into_iter().filter(|(_, part)| !all_alike(&launches.sites, *part)).collect();
        if !differing.is_empty() {
            let text = format!("this function has {} launches that differ: which one is this?", launches.sites.len());
            let help = format!("declare {}", names(&differing));
            self.error(Diagnostic::new(self.elsewhere, text).help(&help));
        }
    }

    /// Reports a launch that none of several attributes on the function is for. The first of them sees all.
    pub(super) fn every_launch_is_declared(&mut self, item: &Item, launches: &Launches) {
        if self.arguments.is_one_of_several || item.siblings.is_empty() && self.arguments.kernel().is_none() {
            return;
        }
        let siblings = siblings(item);
        for site in &launches.sites {
            if !siblings.iter().chain([self.arguments]).any(|arguments| may_be_for(arguments, site)) {
                let ends = Ends::of(&site.block).unwrap_or(self.elsewhere);
                let error = Diagnostic::new(ends, "none of the function's `launch_config` is for this launch");
                let help = match &site.kernel {
                    Some(kernel) => format!("add one with `kernel = \"{kernel}\"`, this block and this shared memory"),
                    None => "add one with this block and this shared memory".to_owned(),
                };
                self.error(error.help(&help));
            }
        }
    }

    /// Whether a launch takes a value from the constant that this attribute makes.
    pub(super) fn is_own_spec(&self, tokens: &[TokenTree]) -> bool {
        let Some(name) = self.own_spec() else {
            return false;
        };
        // `K.shape().dynamic_smem` and `Self::K.shape().block`, but nothing worked out from them.
        has_ident(tokens, &name)
            && tokens.iter().all(|token| match token {
                TokenTree::Ident(_) => true,
                TokenTree::Punct(punct) => matches!(punct.as_char(), '.' | ':'),
                TokenTree::Group(group) => group.stream().is_empty() || group.delimiter() == Delimiter::Bracket,
                TokenTree::Literal(_) => false,
            })
    }

    /// The name of the constant that this attribute makes.
    fn own_spec(&self) -> Option<String> {
        let given = self.arguments.get(Key::Spec)?;
        Some(visible(&given.value).into_iter().collect::<TokenStream>().to_string())
    }

    /// Refuses a value that only exists at run time, or that comes from what it is to be checked for.
    pub(super) fn known_before_run_time(
        &mut self,
        name: &str,
        tokens: &[TokenTree],
        launches: &Launches,
    ) -> Option<()> {
        if let Some(spec) = self.own_spec()
            && has_ident(tokens, &spec)
        {
            let text = format!("this is worked out from `{spec}`, which is made from it");
            let help = format!("declare `{name} = ..` in `launch_config`");
            self.error(Diagnostic::new(Ends::of(tokens)?, text).help(&help));
            return None;
        }
        let expression = tokens.iter().cloned().collect();
        let inner = &launches.inner_names;
        if mentions(&expression, &|ident| inner.iter().any(|name| name == ident || name == "*")) {
            let ends = Ends::of(tokens)?;
            let text = "this may be declared in an inner block, which a check of the function cannot see";
            let help = format!("declare `{name} = ..` in `launch_config`");
            self.error(Diagnostic::new(ends, text).help(&help));
            return None;
        }
        let Some(ends) = run_time_part(tokens) else {
            return Some(());
        };
        let text = "this is only known at run time, so the launch cannot be checked";
        let help = format!("declare `{name} = ..` in `launch_config`: that is what is checked then");
        self.error(Diagnostic::new(ends, text).help(&help));
        None
    }

    /// A declared value that a launch in the body contradicts. With several attributes on the function each is for
    /// some of its launches: then one must agree.
    pub(super) fn contradiction(
        &mut self,
        given: &Given,
        sites: &[LaunchSite],
        name: &str,
        differs: &dyn Fn(&LaunchSite) -> Option<(String, String)>,
    ) {
        let different: Vec<(String, String)> = sites.iter().filter_map(differs).collect();
        let Some((declared, launched)) = different.first() else {
            return;
        };
        if self.is_one_of_several && different.len() < sites.len() {
            return;
        }
        let text = format!("`{name}` is {declared}, but the function launches {launched}");
        let help = if sites.len() == 1 {
            format!("write `{name} = {launched}`, or launch what is declared")
        } else {
            "put one `launch_config` for each different launch on the function".to_owned()
        };
        self.error(Diagnostic::new(given.ends, text).help(&help));
    }
}

impl Launches {
    /// The launches of a function's body: they supply what was not declared, and must not contradict what was.
    pub(super) fn of(item: &Item) -> Launches {
        match &item.kind {
            Kind::Function { body, .. } => Launches::find(body),
            _ => Launches::default(),
        }
    }

    /// Those of the kernel that an attribute names, else those of kernels that are not known.
    pub(super) fn of_kernel(mut self, arguments: &Arguments) -> Launches {
        if let Some(kernel) = arguments.kernel() {
            let is_of =
                |site: &LaunchSite| site.kernel.as_ref().is_some_and(|launched| is_same_kernel(&kernel, launched));
            let is_known = self.sites.iter().any(is_of);
            self.sites.retain(|site| if is_known { is_of(site) } else { site.kernel.is_none() });
        }
        self
    }
}

/// Whether an identifier stands anywhere in tokens.
fn has_ident(tokens: &[TokenTree], name: &str) -> bool {
    tokens.iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => has_ident(&group.stream().into_iter().collect::<Vec<_>>(), name),
        _ => false,
    })
}

/// Whether the declared name, in whatever form, can be that of the kernel which `launch!(module.launched<<<..` names.
fn is_same_kernel(declared: &str, launched: &str) -> bool {
    let is_mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    match (is_mangled(declared), is_mangled(launched)) {
        (false, false) => last_identifier(declared) == launched,
        (true, true) => declared == launched,
        (true, false) => holds_identifier(declared, launched),
        (false, true) => holds_identifier(launched, last_identifier(declared)),
    }
}

/// `gemm` of `ns::gemm<float, 4>(float const*)`.
fn last_identifier(name: &str) -> &str {
    let path = name.split(['<', '(']).next().unwrap_or(name).trim_end();
    let identifier = path.rsplit([':', ' ']).next().unwrap_or(path);
    identifier.strip_prefix("r#").unwrap_or(identifier)
}

/// Whether a mangled name has this identifier: its length, then itself.
fn holds_identifier(mangled: &str, identifier: &str) -> bool {
    let wanted = format!("{}{identifier}", identifier.len());
    mangled.match_indices(&wanted).any(|(at, _)| !mangled[..at].ends_with(|c: char| c.is_ascii_digit()))
}

/// Whether an attribute can be for a launch: what both know agrees.
fn may_be_for(arguments: &Arguments, site: &LaunchSite) -> bool {
    let agree = |key: Key, there: Option<[u32; 3]>| {
        let here = arguments.get(key).and_then(|given| known_axes(&block_axes(&given.value)));
        match (here, there) {
            (Some(here), Some(there)) => here == there,
            _ => true,
        }
    };
    let is_of_another = match (arguments.kernel(), &site.kernel) {
        (Some(declared), Some(launched)) => !is_same_kernel(&declared, launched),
        _ => false,
    };
    !is_of_another
        && agree(Key::Block, known_axes(&block_axes(&site.block)))
        && agree(Key::DynamicSmem, known_axes(&block_axes(&site.dynamic_smem)))
}

/// The arguments of the attributes of ours below the one that is expanded.
fn siblings(item: &Item) -> Vec<Arguments> {
    let mut ignored = Diagnostics::default();
    let siblings = item.siblings.iter().map(|tokens| Arguments::parse(tokens.clone(), &mut ignored)).collect();
    drop(ignored.into_errors());
    siblings
}

/// Of the launches in a function with several attributes, those that one of the attributes is for.
pub(crate) struct Share<'a> {
    arguments: &'a Arguments,
    /// The kernels that the other attributes name.
    named: Vec<String>,
}

impl<'a> Share<'a> {
    pub(crate) fn of(arguments: &'a Arguments, item: &Item) -> Self {
        let below = siblings(item).iter().filter_map(Arguments::kernel).collect();
        Share { arguments, named: [arguments.kernels_above.clone(), below].concat() }
    }

    /// Whether the attribute is for a launch. One that names no kernel leaves the kernels that another names to it.
    pub(crate) fn includes(&self, site: &LaunchSite) -> bool {
        let is_named_by_another = self.arguments.kernel().is_none()
            && site
                .kernel
                .as_ref()
                .is_some_and(|launched| self.named.iter().any(|name| is_same_kernel(name, launched)));
        !is_named_by_another && may_be_for(self.arguments, site)
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
    // `256` and `(256, 1, 1)` are alike; constants are if they are written alike.
    let text = |site: &LaunchSite| {
        let tokens = match part {
            Part::Block => &site.block,
            Part::DynamicSmem => &site.dynamic_smem,
        };
        match known_axes(&block_axes(tokens)) {
            Some(axes) => in_axes(axes),
            None => tokens.iter().cloned().collect::<TokenStream>().to_string(),
        }
    };
    sites.windows(2).all(|pair| text(&pair[0]) == text(&pair[1]))
}

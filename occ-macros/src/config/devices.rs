//! For which GPUs: targets and products, declared or from the environment.

use super::Reader;
use crate::arguments::{Argument as Given, Key};
use crate::defaults;
use crate::diagnostics::{Diagnostic, Ends};
use crate::launch_site::axes_in;
use crate::value::{Written, evaluate, visible};
use occ_core::{Arch, Argument, Gpu, Target};
use proc_macro2::{Delimiter, TokenTree};

impl Reader<'_> {
    /// The declared GPUs, or those of the environment where they matter.
    pub(super) fn gpus(&mut self) -> Vec<&'static Gpu> {
        let mut gpus = Vec::new();
        if let Some(given) = self.arguments.get(Key::Gpu) {
            self.places.push((Argument::Gpu, given.ends));
            for (name, ends) in self.texts(given) {
                match Gpu::find(&name) {
                    Ok(gpu) => gpus.push(gpu),
                    Err(error) => {
                        let first = if error.ambiguous { "is not one GPU" } else { "is not a known GPU" };
                        let error = Diagnostic::new(ends, format!("`{name}` {first}")).help(&gpu_help(&error));
                        self.error(error);
                    }
                }
            }
            return gpus;
        }
        let grid_rule = self.arguments.get(Key::MinWaves).or(self.arguments.get(Key::MaxTailIdle));
        if grid_rule.is_none() && self.arguments.has(Key::Arch) {
            return gpus;
        }
        let Some(value) = self.default(defaults::GPU) else {
            return gpus;
        };
        for name in defaults::list(&value) {
            match Gpu::find(name) {
                Ok(gpu) => gpus.push(gpu),
                Err(error) => {
                    let first = if error.ambiguous { "is not one GPU" } else { "is not a known GPU" };
                    let text = format!("`{name}` in the environment variable `{}` {first}", defaults::GPU);
                    let error = Diagnostic::new(self.elsewhere, text).help(&gpu_help(&error));
                    self.error(error);
                }
            }
        }
        self.notes.push(format!("`gpu` comes from the environment variable `{}`", defaults::GPU));
        gpus
    }

    /// The compute capabilities to check: declared, else of the declared GPUs, else of the environment.
    pub(super) fn archs(&mut self, gpus: &[&'static Gpu]) -> Option<Vec<Arch>> {
        let mut archs: Vec<Arch> = gpus.iter().map(|gpu| gpu.arch).collect();
        let mut sound = true;
        if let Some(given) = self.arguments.get(Key::Arch) {
            self.places.push((Argument::Arch, given.ends));
            for (name, ends) in self.texts(given) {
                match targets(&name) {
                    Ok(named) => archs.extend(named),
                    Err(error) => {
                        sound = false;
                        self.error(Diagnostic { ends, ..error });
                    }
                }
            }
        } else if self.arguments.has(Key::Gpu) || self.arguments.has(Key::Arch) {
            // The GPUs say it, or what was written instead has been reported.
        } else if let Some(value) = self.default(defaults::ARCH) {
            for name in defaults::list(&value) {
                match targets(name) {
                    Ok(named) => archs.extend(named),
                    Err(error) => {
                        sound = false;
                        let note = format!("it comes from the environment variable `{}`", defaults::ARCH);
                        let error = Diagnostic { ends: self.elsewhere, ..error }.note(&note);
                        self.error(error);
                    }
                }
            }
            self.notes.push(format!("`arch` comes from the environment variable `{}`", defaults::ARCH));
            if defaults::list(&value).next().is_none() {
                let text = format!("the environment variable `{}` names no target", defaults::ARCH);
                self.error(Diagnostic::new(self.elsewhere, text));
            }
        } else if gpus.is_empty() && self.sound {
            let help = format!(
                "add `arch = \"sm_80\"`, or set `{}` for the whole workspace (`[env]` in `.cargo/config.toml`)",
                defaults::ARCH
            );
            let text = "no target is declared: which GPUs is this launch for?";
            self.error(Diagnostic::new(self.elsewhere, text).help(&help));
            return None;
        }
        archs.sort_unstable();
        archs.dedup();
        (sound && !archs.is_empty()).then_some(archs)
    }

    /// The strings of `"a"` or `["a", "b"]`.
    pub(super) fn texts(&mut self, given: &Given) -> Vec<(String, Ends)> {
        let name = given.key.name();
        let value = visible(&given.value);
        let pieces = match &value[..] {
            [TokenTree::Group(list)] if list.delimiter() == Delimiter::Bracket => {
                let pieces = axes_in(list);
                if pieces.is_empty() {
                    self.error(Diagnostic::new(given.ends, format!("`{name}` is an empty list: nothing is checked")));
                }
                pieces
            }
            _ => vec![value],
        };
        let mut texts = Vec::new();
        for piece in pieces {
            let ends = Ends::of(&piece).unwrap_or(given.ends);
            match evaluate(&piece) {
                Ok(Written::Text(text)) => texts.push((text, ends)),
                Ok(_) => {
                    let text = format!("`{name}` must be a string, or a list of strings");
                    let example = match given.key {
                        Key::Gpu => "gpu = \"A100 SXM4\"",
                        Key::Cubin => "cubin = \"kernels/saxpy.cubin\"",
                        _ => "arch = \"sm_80\"",
                    };
                    self.error(Diagnostic::new(ends, text).help(&format!("such as `{example}`")));
                }
                Err(error) => self.error(error),
            }
        }
        texts
    }
}

/// The capabilities a target names: its own, or with `..` every one its code can run on.
fn targets(name: &str) -> Result<Vec<Arch>, Diagnostic> {
    let (spelling, and_later) = match name.strip_suffix("..") {
        Some(spelling) => (spelling, true),
        None => (name, false),
    };
    let target = Target::parse(spelling).map_err(|error| {
        // The place is the caller's to know.
        let nowhere = Ends::one(proc_macro2::Span::call_site());
        Diagnostic::new(nowhere, format!("`{name}` is not a known target")).help(&target_help(error))
    })?;
    if !and_later {
        return Ok(vec![target.arch()]);
    }
    Ok(Arch::ALL.into_iter().filter(|arch| target.runs_on(*arch)).collect())
}

fn target_help(error: occ_core::UnknownTarget) -> String {
    use occ_core::UnknownTargetReason::{Capability, Suffix};
    let [first, second] = error.nearest;
    match error.reason {
        Suffix => format!("there is only `{first}`"),
        Capability => format!("the nearest known are `{first}` and `{second}`"),
        _ => "write a target as `sm_80`, `sm_90a`, `sm_100f` or `compute_80`; `sm_80..` adds the later ones its code \
                 runs on"
            .to_owned(),
    }
}

fn gpu_help(error: &occ_core::UnknownGpu) -> String {
    let mut candidates = occ_core::internal::Text::new();
    error.write_candidates(&mut candidates);
    if error.ambiguous { format!("it could be {candidates}") } else { format!("the nearest are {candidates}") }
}

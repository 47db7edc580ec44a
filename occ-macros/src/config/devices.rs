//! The GPUs and compute capabilities to check: declared, or from the environment.

use super::reader::Reader;
use crate::defaults;
use crate::diagnostics::{Diagnostic, TokenRange};
use crate::keys::{Key, Needs, ValueKind};
use crate::messages;
use occ_core::{Arch, Gpu, Target};

impl Reader<'_> {
    /// Returns the declared GPUs, or those of the environment if they matter.
    pub(super) fn gpus(&mut self) -> Vec<&'static Gpu> {
        let needs_gpu = self
            .arguments
            .iter()
            .any(|argument| matches!(argument.key.row().kind, ValueKind::Requirement(_, Needs::Grid)));
        if self.arguments.get(Key::Gpu).is_none() && !needs_gpu && self.arguments.may_have(Key::Arch) {
            return Vec::new();
        }
        self.named(Key::Gpu, defaults::GPU, gpu).map_or_else(Vec::new, |(gpus, _)| gpus)
    }

    /// Returns the compute capabilities to check: declared, and of the declared GPUs; else of the environment.
    pub(super) fn archs(&mut self, gpus: &[&'static Gpu]) -> Option<Vec<Arch>> {
        let mut archs: Vec<Arch> = gpus.iter().map(|gpu| gpu.arch).collect();
        let is_declared = self.arguments.get(Key::Arch).is_some();
        // Otherwise the GPUs determine it, or what is written instead was reported.
        if is_declared || !self.arguments.may_have(Key::Arch) && !self.arguments.may_have(Key::Gpu) {
            match self.named(Key::Arch, defaults::ARCH, targets) {
                Some((_, false)) => return None,
                Some((named, true)) if named.is_empty() && !is_declared => {
                    self.error(messages::empty_variable(self.fallback, defaults::ARCH));
                }
                Some((named, true)) => archs.extend(named.into_iter().flatten()),
                None if gpus.is_empty() && self.is_valid => {
                    self.error(messages::no_target(self.fallback, defaults::ARCH));
                }
                None => {}
            }
        }
        archs.sort_unstable();
        archs.dedup();
        (!archs.is_empty()).then_some(archs)
    }

    /// Returns what is found for each name that a key or else its variable declares, and whether something is found for
    /// all. `None` if neither is declared.
    fn named<T>(
        &mut self,
        key: Key,
        variable: &'static str,
        find: fn(&str, TokenRange) -> Result<T, Diagnostic>,
    ) -> Option<(Vec<T>, bool)> {
        let (names, note) = if let Some(argument) = self.arguments.get(key) {
            (self.strings(argument), None)
        } else {
            let value = self.default(variable)?;
            let note = messages::from_environment(key.name(), variable);
            self.notes.push(note.clone());
            (defaults::list(&value).map(|name| (name.to_owned(), self.fallback)).collect(), Some(note))
        };
        let count = names.len();
        let mut found = Vec::new();
        for (name, range) in names {
            match find(&name, range) {
                Ok(one) => found.push(one),
                Err(error) => self.error(match &note {
                    Some(note) => error.note(note),
                    None => error,
                }),
            }
        }
        let is_complete = found.len() == count;
        Some((found, is_complete))
    }
}

/// Returns the GPU of a name.
fn gpu(name: &str, at: TokenRange) -> Result<&'static Gpu, Diagnostic> {
    Gpu::find(name).map_err(|error| {
        let mut candidates = occ_core::internal::Text::new();
        error.write_candidates(&mut candidates);
        let candidates = candidates.as_str();
        if error.ambiguous {
            messages::ambiguous_gpu(at, name, candidates)
        } else {
            messages::unknown_gpu(at, name, candidates)
        }
    })
}

/// Returns the capability of a target, or with `..` every one that its code runs on.
fn targets(name: &str, at: TokenRange) -> Result<Vec<Arch>, Diagnostic> {
    let base = name.strip_suffix("..");
    let target = Target::parse(base.unwrap_or(name)).map_err(|error| unknown_target(name, error, at))?;
    Ok(match base {
        Some(_) => Arch::ALL.into_iter().filter(|arch| target.runs_on(*arch)).collect(),
        None => vec![target.arch()],
    })
}

fn unknown_target(name: &str, error: occ_core::UnknownTarget, at: TokenRange) -> Diagnostic {
    use occ_core::UnknownTargetReason::{Capability, Suffix};
    let [first, second] = error.nearest;
    let help = match error.reason {
        Capability => messages::nearest_targets(first, second),
        Suffix => messages::write(first),
        _ => messages::target_form(),
    };
    messages::unknown_target(at, name).help(help)
}

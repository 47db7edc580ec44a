//! The kernel's resources from compiled artifacts: which files, which kernel, which numbers they record.

use super::reader::Reader;
use crate::arguments::Arg;
use crate::artifact::{self, Artifact};
use crate::compiled_kernel::{CompiledKernel, WantedKernel};
use crate::diagnostics::TokenRange;
use crate::item::Item;
use crate::keys::Key;
use crate::launch_site::Launches;
use crate::messages;
use crate::value::{Evaluated, Number, Value, evaluate};
use occ_core::Arch;

impl Reader<'_> {
    /// Returns what `cubin` records of the kernel for each capability; nothing without `cubin` or after a mistake.
    pub(super) fn compiled(&mut self, archs: &[Arch], item: &Item, launches: &Launches) -> Vec<CompiledKernel> {
        let Some(argument) = self.arguments.get(Key::Cubin) else {
            return Vec::new();
        };
        let named = self.strings(argument);
        let Some(wanted) = self.wanted_kernel(item, launches, argument.range) else {
            return Vec::new();
        };
        let files = self.read_files(named);
        if !self.is_valid || files.is_empty() {
            return Vec::new();
        }
        artifact::choose(&files, &wanted, archs).unwrap_or_else(|error| {
            self.error(error);
            Vec::new()
        })
    }

    /// Returns the files that can be read. The others are reported, but what is wrong with all of them only once.
    fn read_files(&mut self, named: Vec<(String, TokenRange)>) -> Vec<(Artifact, TokenRange)> {
        let mut files = Vec::new();
        let mut reported: Vec<String> = Vec::new();
        for (name, range) in named {
            match artifact::read(&name, range) {
                Ok(artifact) => {
                    self.files.push(name);
                    files.push((artifact, range));
                }
                Err(error) if reported.contains(&error.text) => self.is_valid = false,
                Err(error) => {
                    reported.push(error.text.clone());
                    self.error(error);
                }
            }
        }
        files
    }

    /// Returns the kernel to look for: declared, else that of the launches, else that of the function's name.
    fn wanted_kernel(&mut self, item: &Item, launches: &Launches, cubin: TokenRange) -> Option<WantedKernel> {
        if let Some(argument) = self.arguments.get(Key::Kernel) {
            let error = match evaluate(&argument.value) {
                Ok(Evaluated::Text(name)) => {
                    return Some(WantedKernel { name, range: argument.range, is_declared: true });
                }
                Ok(_) => argument.expected(argument.range, "a string"),
                Err(error) => error,
            };
            self.error(error);
            return None;
        }
        let mut names: Vec<&String> = launches.sites.iter().filter_map(|site| site.kernel.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        let has_unknown = launches.sites.iter().any(|site| site.kernel.is_none());
        let name = match names[..] {
            [] => item.plain_name(),
            [name] if !has_unknown => name.clone(),
            [first, ref others @ ..] => {
                let second = others.first().map_or("a kernel of unknown name".to_owned(), |name| format!("`{name}`"));
                self.error(messages::unclear_kernel(cubin, first, second));
                return None;
            }
        };
        Some(WantedKernel { name, range: cubin, is_declared: false })
    }

    /// Adds declared numbers that the compiled kernels' files do not record.
    pub(super) fn complete(&mut self, compiled: &mut [CompiledKernel], declared: [(Key, &Option<Value<u32>>); 2]) {
        for kernel in compiled {
            for (key, value) in declared {
                match value {
                    Some(value) if kernel.unrecorded.contains(&key) => match value.known() {
                        Some(number) if key == Key::StaticSmem => kernel.numbers.kernel.static_smem = number,
                        Some(number) => kernel.numbers.kernel.barriers = number,
                        None => {
                            let range = self.arguments.get(key).map_or(self.fallback, |argument| argument.range);
                            self.error(messages::not_a_literal(range, key.name()));
                            return;
                        }
                    },
                    _ => {}
                }
            }
        }
    }

    /// Reports what is declared although the files record it, and what neither tells.
    pub(super) fn compiled_kernels_record_all(&mut self, compiled: &[CompiledKernel], requirements: &[Arg<Number>]) {
        let lacking = |key: Key| compiled.iter().find(|kernel| kernel.unrecorded.contains(&key));
        for key in [Key::StaticSmem, Key::Barriers] {
            if let (Some(argument), Some(kernel), None) = (self.arguments.get(key), compiled.first(), lacking(key)) {
                self.error(messages::already_read(argument.range, key.name(), &kernel.source));
            }
        }
        for requirement in requirements {
            if let Some(kernel) = lacking(requirement.key) {
                self.error(messages::unrecorded(requirement.range, requirement.key.name(), &kernel.source));
            }
        }
        if let Some(kernel) = lacking(Key::StaticSmem)
            && !self.arguments.may_have(Key::StaticSmem)
        {
            self.error(messages::unrecorded_static_smem(kernel.range, &kernel.source));
        }
    }
}

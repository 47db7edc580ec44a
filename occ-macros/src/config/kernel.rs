//! The kernel's resources from compiled artifacts: which files, which kernel, which image for each capability.

use super::{Config, Reader};
use crate::arguments::Key;
use crate::artifact;
use crate::diagnostics::{Diagnostic, Ends};
use crate::item::Item;
use crate::launch_site::Launches;
use crate::value::{Value, Written, evaluate};
use occ_core::{Arch, Argument, Compiled, Kernel};

/// A kernel as it was read for one capability.
#[derive(Clone, Debug)]
pub(crate) struct CompiledKernel {
    pub(crate) arch: Arch,
    pub(crate) kernel: Kernel,
    pub(crate) stack: Option<u32>,
    pub(crate) spills: Option<u32>,
    pub(crate) min_blocks_per_sm: Option<u32>,
    /// Whether static shared memory and barriers were read too; else what was declared takes their place.
    pub(crate) knows_smem: bool,
    pub(crate) knows_barriers: bool,
    /// Whether the numbers are those after device linking.
    pub(crate) is_linked: bool,
    /// `` `saxpy` in kernels/saxpy.cubin, sm_80 ``
    pub(crate) source: String,
    /// Where the file is named.
    pub(crate) ends: Ends,
}

impl CompiledKernel {
    /// The same in the model's terms.
    pub(crate) fn as_model(&self) -> Compiled<'_> {
        Compiled {
            arch: self.arch,
            kernel: self.kernel,
            stack: self.stack,
            spills: self.spills,
            min_blocks_per_sm: self.min_blocks_per_sm,
            source: &self.source,
        }
    }
}

/// Why a file was not read.
pub(crate) struct Unread {
    pub(crate) text: String,
    /// Lines that say themselves whether they are a note or a help.
    pub(crate) lines: Vec<String>,
}

/// Why no image of a kernel was chosen.
pub(crate) struct NotChosen {
    pub(crate) text: String,
    /// Lines that say themselves whether they are a note or a help.
    pub(crate) lines: Vec<String>,
    /// The file it is about; without it the kernel's name is.
    pub(crate) ends: Option<Ends>,
}

/// What a path begins with that is relative to the directory of a build script's output.
pub(crate) const OUT_DIR: &str = "$OUT_DIR/";

/// The kernel that is looked for, and where its name was written.
struct Wanted {
    name: String,
    ends: Option<Ends>,
}

impl Reader<'_> {
    /// What `cubin` says of the kernel on each capability. Empty without `cubin`, and where something was wrong.
    pub(super) fn compiled(&mut self, archs: &[Arch], item: &Item, launches: &Launches) -> Vec<CompiledKernel> {
        let Some(given) = self.arguments.get(Key::Cubin) else {
            self.nothing_needs_cubin();
            return Vec::new();
        };
        self.places.push((Argument::Cubin, given.ends));
        let named = self.texts(given);
        let Some(wanted) = self.wanted(item, launches, given.ends) else {
            return Vec::new();
        };
        let files = self.read_files(named);
        if !self.sound || files.is_empty() {
            return Vec::new();
        }
        match artifact::choose(&files, &wanted.name, archs) {
            Ok(compiled) => compiled,
            Err(error) => {
                let ends = error.ends.or(wanted.ends).unwrap_or(given.ends);
                let mut diagnostic = Diagnostic::new(ends, error.text);
                if let (None, None) = (error.ends, wanted.ends) {
                    let note =
                        "the name is that of what is launched, or of the function; `kernel = \"..\"` names another";
                    diagnostic = diagnostic.note(note);
                }
                self.error(error.lines.iter().fold(diagnostic, |diagnostic, line| diagnostic.with_line(line)));
                Vec::new()
            }
        }
    }

    /// Reports keys that say nothing without an artifact.
    fn nothing_needs_cubin(&mut self) {
        if self.arguments.has(Key::Cubin) {
            return;
        }
        for key in [Key::MaxStack, Key::MaxSpills] {
            if let Some(given) = self.arguments.get(key) {
                let text = format!("`{}` needs `cubin`: only a compiled kernel has it", key.name());
                self.error(Diagnostic::new(given.key_ends, text).help("add `cubin = \"kernels/saxpy.cubin\"`"));
            }
        }
    }

    /// The files that can be read; the others are reported, but what is wrong with all of them only once.
    fn read_files(&mut self, named: Vec<(String, Ends)>) -> Vec<(artifact::Artifact, Ends)> {
        let mut files = Vec::new();
        let mut reported: Vec<String> = Vec::new();
        for (name, ends) in named {
            match artifact::read(&name) {
                Ok(artifact) => {
                    self.files.push(name);
                    files.push((artifact, ends));
                }
                Err(Unread { text, .. }) if reported.contains(&text) => self.sound = false,
                Err(Unread { text, lines }) => {
                    reported.push(text.clone());
                    let error = Diagnostic::new(ends, text);
                    self.error(lines.iter().fold(error, |error, line| error.with_line(line)));
                }
            }
        }
        files
    }

    /// The kernel's name: declared, else that of the launches, else the function's.
    fn wanted(&mut self, item: &Item, launches: &Launches, cubin: Ends) -> Option<Wanted> {
        if let Some(given) = self.arguments.get(Key::Kernel) {
            return match evaluate(&given.value) {
                Ok(Written::Text(name)) => Some(Wanted { name, ends: Some(given.ends) }),
                Ok(_) => {
                    let error = Diagnostic::new(given.ends, "`kernel` must be a string");
                    self.error(error.help("such as `kernel = \"saxpy\"`"));
                    None
                }
                Err(error) => {
                    self.error(error);
                    None
                }
            };
        }
        let mut names: Vec<&String> = launches.sites.iter().filter_map(|site| site.kernel.as_ref()).collect();
        names.sort_unstable();
        names.dedup();
        let is_unsure = launches.sites.iter().any(|site| site.kernel.is_none());
        match names[..] {
            [name] if is_unsure => {
                let text =
                    format!("this function launches `{name}` and a function of unknown name: which one is this?");
                self.error(Diagnostic::new(cubin, text).help(&format!("add `kernel = \"{name}\"`")));
                None
            }
            [] => Some(Wanted { name: item.plain_name(), ends: None }),
            [name] => Some(Wanted { name: name.clone(), ends: None }),
            [first, second, ..] => {
                let text = format!("this function launches `{first}` and `{second}`: which one is this?");
                self.error(Diagnostic::new(cubin, text).help(&format!("add `kernel = \"{first}\"`")));
                None
            }
        }
    }

    /// Gives the compiled kernels what was declared because their files do not tell it.
    pub(super) fn complete(&mut self, config: &mut Config) {
        for kernel in &mut config.compiled {
            for (knows, key, declared, number) in [
                (kernel.knows_smem, Key::StaticSmem, &config.static_smem, &mut kernel.kernel.static_smem),
                (kernel.knows_barriers, Key::Barriers, &config.barriers, &mut kernel.kernel.barriers),
            ] {
                match declared {
                    _ if knows => {}
                    Value::Known(known) => *number = *known,
                    Value::Constant(_) => {
                        let text = format!("beside `cubin`, `{}` must be a number that can be read here", key.name());
                        let ends = self.arguments.get(key).map_or(self.elsewhere, |given| given.ends);
                        self.error(Diagnostic::new(ends, text));
                        return;
                    }
                }
            }
        }
    }

    /// Reports what was declared although the artifact says it, and what neither says.
    pub(super) fn compiled_says_it_all(&mut self, config: &Config) {
        for (key, knows) in [
            (Key::StaticSmem, (|kernel| kernel.knows_smem) as fn(&CompiledKernel) -> bool),
            (Key::Barriers, |kernel| kernel.knows_barriers),
        ] {
            let Some(kernel) = config.compiled.first().filter(|_| config.compiled.iter().all(knows)) else {
                continue;
            };
            if let Some(given) = self.arguments.get(key) {
                let text = format!("`{}` is read from {}", key.name(), kernel.source);
                self.error(Diagnostic::new(given.ends, text).help("remove it"));
            }
        }
        for (key, known) in [
            (Key::MaxStack, (|kernel| kernel.stack.is_some()) as fn(&CompiledKernel) -> bool),
            (Key::MaxSpills, |kernel| kernel.spills.is_some()),
        ] {
            let (Some(given), Some(kernel)) =
                (self.arguments.get(key), config.compiled.iter().find(|kernel| !known(kernel)))
            else {
                continue;
            };
            let text = format!("`{}` cannot be checked: {} does not tell", key.name(), kernel.source);
            let help = match key {
                Key::MaxSpills => {
                    "only a compiler log tells spills: add the output of `ptxas -v` to `cubin`, such as `\"$OUT_DIR/saxpy.sm_80.log\"`"
                }
                _ => "a cubin tells it once it is linked, and so does the output of `ptxas -v`",
            };
            self.error(Diagnostic::new(given.ends, text).help(help));
        }
        if let Some(kernel) = config.compiled.iter().find(|kernel| !kernel.knows_smem)
            && !self.arguments.has(Key::StaticSmem)
        {
            let text = format!("{} does not tell static shared memory", kernel.source);
            let error = Diagnostic::new(kernel.ends, text);
            self.error(error.help("add `static_smem = ..`, or name a cubin or a compiler log"));
        }
    }
}

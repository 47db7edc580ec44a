//! The plan of a build, validated before any compiler runs.

use crate::build::error::Error;
use crate::build::kernels::Kernels;
use crate::build::language::Language;
use crate::build::package::Package;
use crate::build::toolkit::Needs;
use occ_core::{Code, Target};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// A source.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) language: Language,
    pub(crate) path: PathBuf,
    /// The file name without extension, after which the output files are named.
    pub(crate) name: String,
}

/// An architecture. The name is kept as written: `sm_101` is not replaced by that of its capability, 11.0.
#[derive(Clone, Debug)]
pub(crate) struct Arch {
    pub(crate) name: String,
    pub(crate) target: Target,
}

/// A validated build.
#[derive(Debug)]
pub(crate) struct Plan<'k> {
    pub(crate) package: Package,
    pub(crate) kernels: &'k Kernels,
    pub(crate) sources: Vec<Source>,
    /// The architectures without duplicates, in the order given; at least one.
    pub(crate) archs: Vec<Arch>,
    /// The target of PTX: `compute_..` of the lowest architecture.
    pub(crate) ptx: Arch,
}

impl<'k> Plan<'k> {
    pub(crate) fn new(kernels: &'k Kernels) -> Result<Self, Error> {
        let package = Package::from_environment()?;
        let sources = sources(kernels, &package)?;
        let archs = archs(kernels)?;
        let lowest = archs.iter().min_by_key(|arch| (arch.target.arch(), arch.target.portability()));
        let ptx = match lowest {
            Some(lowest) if !sources.is_empty() => {
                Arch { name: lowest.name.replacen("sm_", "compute_", 1), target: lowest.target.with_code(Code::Ptx) }
            }
            _ => return Err(Error::Nothing { sources: sources.len(), archs: archs.len() }),
        };
        Ok(Plan { package, kernels, sources, archs, ptx })
    }

    pub(crate) fn needs(&self) -> Needs {
        let has = |language| self.sources.iter().any(|source| source.language == language);
        Needs { nvcc: has(Language::Cuda), ptxas: has(Language::Ptx) }
    }

    /// Returns the name of an output file for an architecture: `saxpy.sm_80.cubin`.
    pub(crate) fn file_name(source: &Source, arch: &Arch, extension: &str) -> String {
        format!("{}.{}.{extension}", source.name, arch.name)
    }

    /// Returns the name of the PTX file of a CUDA source: `saxpy.ptx`.
    pub(crate) fn ptx_name(source: &Source) -> String {
        format!("{}.ptx", source.name)
    }

    /// Returns the files in a directory that have names of output files, for any architecture.
    pub(crate) fn files_in(&self, directory: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries.filter(|entry| self.is_output(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect()
    }

    /// Removes earlier output files, so that none remain for architectures that are no longer requested.
    pub(crate) fn remove_outputs(&self) {
        for file in self.files_in(&self.package.out) {
            let _ = fs::remove_file(file);
        }
    }

    fn is_output(&self, file: &str) -> bool {
        self.sources.iter().any(|source| {
            let rest = file.strip_prefix(&source.name).and_then(|rest| rest.strip_prefix('.'));
            let Some(rest) = rest else {
                return false;
            };
            let cubin = rest.split_once('.').is_some_and(|(arch, extension)| {
                Target::parse(arch).is_ok() && matches!(extension, "cubin" | "log" | "d")
            });
            cubin || (rest == "ptx" && source.language == Language::Cuda)
        })
    }

    /// Returns the options of `nvcc` except those for files and architectures.
    pub(crate) fn nvcc_options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        for directory in &self.kernels.includes {
            options.push(joined("-I", directory.as_os_str()));
        }
        for define in &self.kernels.defines {
            options.push(joined("-D", OsStr::new(define)));
        }
        options.extend(self.kernels.nvcc_args.iter().map(OsString::from));
        options
    }
}

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut joined = OsString::from(option);
    joined.push(value);
    joined
}

fn sources(kernels: &Kernels, package: &Package) -> Result<Vec<Source>, Error> {
    let mut sources: Vec<Source> = Vec::new();
    for (language, path) in &kernels.sources {
        if !package.resolve(path).is_file() {
            return Err(Error::NoSource { source: path.clone() });
        }
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        // Some file systems ignore case: `A.cubin` and `a.cubin` would be the same file.
        if let Some(other) = sources.iter().find(|other| other.name.eq_ignore_ascii_case(&name)) {
            return Err(Error::SameName { first: other.path.clone(), second: path.clone() });
        }
        sources.push(Source { language: *language, path: path.clone(), name });
    }
    Ok(sources)
}

fn archs(kernels: &Kernels) -> Result<Vec<Arch>, Error> {
    let mut archs: Vec<Arch> = Vec::new();
    for name in &kernels.archs {
        let target = Target::parse(name).map_err(|reason| Error::UnknownArch { arch: name.clone(), reason })?;
        if target.code() == Code::Ptx {
            return Err(Error::PtxArch { arch: name.clone() });
        }
        if archs.iter().all(|arch| arch.name != *name) {
            archs.push(Arch { name: name.clone(), target });
        }
    }
    Ok(archs)
}

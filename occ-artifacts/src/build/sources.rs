//! The file `SOURCES` in a prebuilt directory, which records the sources and options of the kernels.

use crate::build::cargo;
use crate::build::error::Error;
use crate::build::package::{Package, read};
use crate::build::plan::Plan;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub(crate) const FILE_NAME: &str = "SOURCES";

const HEADING: &str = "# What these kernels were compiled from. `OCC_UPDATE_PREBUILT=1 cargo build` writes this file.";

/// The sources and headers in the package, with their hashes, and the options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    pub(crate) toolkit: String,
    options: Vec<String>,
    /// The portable name and the hash of each file.
    files: Vec<(String, u64)>,
    /// The lines of the file that could not be parsed.
    malformed: Vec<String>,
}

impl Sources {
    /// Returns the current sources. Files outside of the package are omitted, because they differ between machines.
    pub(crate) fn current(plan: &Plan<'_>, toolkit: &str, headers: &[PathBuf]) -> Result<Sources, Error> {
        let paths = plan.sources.iter().map(|source| source.path.as_path()).chain(headers.iter().map(PathBuf::as_path));
        let mut names: Vec<String> = paths.filter_map(|path| plan.package.portable(path)).collect();
        names.sort();
        names.dedup();
        let mut files = Vec::new();
        for name in names {
            let hash = hash(&read(&plan.package.resolve_portable(&name))?);
            files.push((name, hash));
        }
        Ok(Sources { toolkit: toolkit.to_owned(), options: options(plan), files, malformed: Vec::new() })
    }

    /// Reads the file in a prebuilt directory; `None` if there is none.
    pub(crate) fn read(directory: &Path) -> Option<Sources> {
        let bytes = std::fs::read(directory.join(FILE_NAME)).ok()?;
        Some(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Sources {
        let mut sources = Sources::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let file = value.split_once(' ').and_then(|(hash, name)| Some((u64::from_str_radix(hash, 16).ok()?, name)));
            match (key, file) {
                ("toolkit", _) => value.clone_into(&mut sources.toolkit),
                ("option", _) => sources.options.push(value.to_owned()),
                ("file", Some((hash, name))) => sources.files.push((name.to_owned(), hash)),
                _ => sources.malformed.push(line.to_owned()),
            }
        }
        sources
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("{HEADING}\ntoolkit {}\n", self.toolkit);
        for option in &self.options {
            let _ = writeln!(text, "option {option}");
        }
        for (name, hash) in &self.files {
            let _ = writeln!(text, "file {hash:016x} {name}");
        }
        text
    }

    /// Returns what has changed: names of files, malformed lines, `the options`.
    pub(crate) fn changed(&self, plan: &Plan<'_>) -> Vec<String> {
        let mut changed = self.malformed.clone();
        for (name, hash) in &self.files {
            let current = std::fs::read(plan.package.resolve_portable(name));
            if !current.is_ok_and(|bytes| self::hash(&bytes) == *hash) {
                changed.push(name.clone());
            }
        }
        for name in plan.sources.iter().filter_map(|source| plan.package.portable(&source.path)) {
            if self.files.iter().all(|(listed, _)| *listed != name) {
                changed.push(name);
            }
        }
        if self.options != options(plan) {
            changed.push("the options".to_owned());
        }
        changed
    }

    pub(crate) fn rerun_if_changed(&self, package: &Package) {
        for (name, _) in &self.files {
            cargo::rerun_if_changed(&package.resolve_portable(name));
        }
    }
}

/// Returns the options in a form that is the same on every machine.
fn options(plan: &Plan<'_>) -> Vec<String> {
    let kernels = plan.kernels;
    let includes = kernels.includes.iter().filter_map(|path| plan.package.portable(path));
    let mut options: Vec<String> = includes.map(|path| format!("-I{path}")).collect();
    options.extend(kernels.defines.iter().map(|define| format!("-D{define}")));
    options.extend(kernels.nvcc_args.iter().map(|argument| format!("nvcc {argument}")));
    options.extend(kernels.ptxas_args.iter().map(|argument| format!("ptxas {argument}")));
    for option in &mut options {
        *option = option.replace(['\r', '\n'], " ");
    }
    options
}

/// Returns the 64-bit FNV-1a hash, without the carriage returns that git can add to line endings.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            continue;
        }
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // Published test vectors of 64-bit FNV-1a.
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn line_endings_do_not_matter() {
        assert_eq!(hash(b"a\r\nb\r\n"), hash(b"a\nb\n"));
        assert_ne!(hash(b"a\rb"), hash(b"ab"));
    }

    #[test]
    fn the_file_round_trips() {
        let sources = Sources {
            toolkit: "13.5.37".to_owned(),
            options: vec!["-DNAME=a b".to_owned()],
            files: vec![("kernels/a b.cu".to_owned(), 7)],
            malformed: Vec::new(),
        };
        assert_eq!(Sources::parse(&sources.text()), sources);
        assert_eq!(Sources::parse(&sources.text().replace('\n', "\r\n")), sources);
        let conflict = Sources::parse("<<<<<<< ours\nfile zz a.cu\n");
        assert_eq!(conflict.malformed, ["<<<<<<< ours", "file zz a.cu"]);
    }
}

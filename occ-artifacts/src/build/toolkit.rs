//! Finds the CUDA toolkit and its version.

use crate::build::cargo;
use crate::build::error::Error;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compilers that a build needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) nvcc: bool,
    pub(crate) ptxas: bool,
}

/// The compilers of one toolkit.
#[derive(Clone, Debug)]
pub(crate) struct Toolkit {
    pub(crate) directory: PathBuf,
    /// The version, `13.5.37`, or `of unknown version`.
    pub(crate) version: String,
}

/// A failed search for a toolkit.
#[derive(Debug)]
pub(crate) struct Missing {
    programs: Vec<String>,
    place: Place,
}

/// The place that was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Variable(&'static str, PathBuf),
    Anywhere,
}

impl Needs {
    fn programs(self) -> Vec<String> {
        let names = [(self.nvcc, "nvcc"), (self.ptxas, "ptxas")];
        names.into_iter().filter(|(needed, _)| *needed).map(|(_, name)| program(name)).collect()
    }
}

impl Toolkit {
    pub(crate) fn nvcc(&self) -> PathBuf {
        self.directory.join(program("nvcc"))
    }

    pub(crate) fn ptxas(&self) -> PathBuf {
        self.directory.join(program("ptxas"))
    }

    /// Returns whether a file belongs to the toolkit.
    pub(crate) fn owns(&self, file: &Path) -> bool {
        let root = self.directory.parent().and_then(|root| root.canonicalize().ok());
        let parts = ["include", "targets", "nvvm"];
        root.zip(file.canonicalize().ok())
            .is_some_and(|(root, file)| parts.iter().any(|part| file.starts_with(root.join(part))))
    }
}

/// Returns the first toolkit that has all needed compilers.
pub(crate) fn find(needs: Needs) -> Result<Result<Toolkit, Missing>, Error> {
    let programs = needs.programs();
    let (place, directories) = directories(cargo::variable);
    let is_complete = |directory: &PathBuf| programs.iter().all(|program| directory.join(program).is_file());
    let Some(directory) = directories.into_iter().find(is_complete) else {
        return Ok(Err(Missing { programs, place }));
    };
    for program in &programs {
        cargo::rerun_if_changed(&directory.join(program));
    }
    let version = match programs.first() {
        Some(program) => version(&directory.join(program))?,
        None => String::new(),
    };
    Ok(Ok(Toolkit { directory, version }))
}

/// Returns the directories to search. A variable is read only if the previous ones are not set.
fn directories(mut variable: impl FnMut(&str) -> Option<OsString>) -> (Place, Vec<PathBuf>) {
    for name in ["CUDA_PATH", "CUDA_HOME"] {
        if let Some(root) = variable(name).map(PathBuf::from) {
            let directory = root.join("bin");
            return (Place::Variable(name, root), vec![directory]);
        }
    }
    let path = variable("PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = env::split_paths(&path).filter(|path| path.is_absolute()).collect();
    directories.extend(default_roots(Path::new("/")).into_iter().map(|root| root.join("bin")));
    if cfg!(windows)
        && let Some(programs) = variable("ProgramFiles")
    {
        let installed = Path::new(&programs).join("NVIDIA GPU Computing Toolkit").join("CUDA");
        directories.extend(newest_first(&installed, "v").into_iter().map(|root| root.join("bin")));
    }
    (Place::Anywhere, directories)
}

/// Returns the default directories of toolkits in a Unix file system.
fn default_roots(root: &Path) -> Vec<PathBuf> {
    let local = root.join("usr/local");
    let mut roots = vec![local.join("cuda")];
    roots.extend(newest_first(&local, "cuda-"));
    roots.push(root.join("opt/cuda"));
    roots
}

/// Returns the versioned directories in `parent`: `cuda-13.5`, `cuda-13`, `cuda-12.10`, `cuda-12.9`.
fn newest_first(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let numbers: Option<Vec<u32>> = name
            .strip_prefix(prefix)
            .and_then(|version| version.split('.').map(|number| number.parse().ok()).collect());
        found.extend(numbers.map(|numbers| (numbers, entry.path())));
    }
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

fn program(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

fn version(program: &Path) -> Result<String, Error> {
    let output =
        Command::new(program).arg("--version").output().map_err(|error| Error::file("run", program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(parse_version(&text).unwrap_or("of unknown version").to_owned())
}

/// Extracts the version: `13.5.37` from `Cuda compilation tools, release 13.5, V13.5.37`.
fn parse_version(text: &str) -> Option<&str> {
    let (_, after) = text.split_once(", V")?;
    let version = after.split_whitespace().next()?;
    version.starts_with(|first: char| first.is_ascii_digit()).then_some(version)
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let programs = self.programs.join("` and `");
        match &self.place {
            Place::Variable(name, root) => {
                write!(f, "`{name}` is `{}`, which has no `{programs}` in `bin`", root.display())
            }
            Place::Anywhere => {
                write!(f, "there is no `{programs}` in `PATH` or in the default directories of CUDA")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(set: &[(&str, &str)]) -> (Vec<String>, Place, Vec<PathBuf>) {
        let mut read = Vec::new();
        let (place, directories) = directories(|name| {
            read.push(name.to_owned());
            set.iter().find(|(set, _)| *set == name).map(|(_, value)| OsString::from(value))
        });
        (read, place, directories)
    }

    #[test]
    fn a_variable_that_is_set_decides() {
        let (read, place, directories) = search(&[("CUDA_HOME", "/b"), ("CUDA_PATH", "/a"), ("PATH", "/c")]);
        assert_eq!(read, ["CUDA_PATH"]);
        assert_eq!(place, Place::Variable("CUDA_PATH", "/a".into()));
        assert_eq!(directories, [Path::new("/a").join("bin")]);
        let (read, _, directories) = search(&[("CUDA_HOME", "/b"), ("PATH", "/c")]);
        assert_eq!(read, ["CUDA_PATH", "CUDA_HOME"]);
        assert_eq!(directories, [Path::new("/b").join("bin")]);
    }

    #[cfg(unix)]
    #[test]
    fn path_comes_before_the_default_directories() {
        let (_, place, directories) = search(&[("PATH", "/x:relative::/y")]);
        assert_eq!(place, Place::Anywhere);
        let names: Vec<_> = directories.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!(names[..3], ["/x", "/y", "/usr/local/cuda/bin"]);
        assert_eq!(names.last(), Some(&"/opt/cuda/bin"));
    }

    #[test]
    fn the_newest_comes_first() {
        let root = env::temp_dir().join(format!("occ-toolkits-{}", std::process::id()));
        for name in ["cuda", "cuda-12.9", "cuda-12.10", "cuda-9", "cuda-13.5", "cuda-old", "other"] {
            fs::create_dir_all(root.join("usr/local").join(name)).unwrap();
        }
        let names: Vec<_> =
            default_roots(&root).iter().map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect();
        let expected =
            ["cuda", "cuda-13.5", "cuda-12.10", "cuda-12.9", "cuda-9"].map(|name| Path::new("usr/local").join(name));
        assert_eq!(names[..5], expected);
        assert_eq!(names[5..], [Path::new("opt/cuda")]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn versions() {
        // Lines of nvcc 11.8, 12.4 and 13.5.
        assert_eq!(parse_version("Cuda compilation tools, release 11.8, V11.8.89\nBuild x\n"), Some("11.8.89"));
        assert_eq!(parse_version("(c) x, y\nCuda compilation tools, release 12.4, V12.4.131"), Some("12.4.131"));
        assert_eq!(parse_version("Cuda compilation tools, release 13.5, V13.5.37\r\n"), Some("13.5.37"));
        assert_eq!(parse_version("clang, Vulkan"), None);
    }
}

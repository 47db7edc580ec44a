//! Compiled artifacts: read once in a compiler process, however many attributes name them.

mod choose;

pub(crate) use choose::choose;

use occ_artifacts::{KernelImage, NameError, Problem};
use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Artifact {
    /// Its path as it was written.
    name: String,
    content: Arc<Content>,
}

/// The kernels of a file.
#[derive(Debug)]
struct Content {
    images: Vec<KernelImage>,
    /// Which kernels each name has meant so far: attributes tend to ask for the same ones.
    found: Mutex<HashMap<String, Found>>,
}

/// A file that could not be read, in words, and what would help.
#[derive(Clone)]
struct Damage {
    text: String,
    help: Option<String>,
}

type Found = Result<Vec<usize>, NameError>;

impl Artifact {
    /// The images of the kernel that a name means.
    fn find(&self, kernel: &str) -> Result<Vec<KernelImage>, NameError> {
        let Content { images, found } = &*self.content;
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let places = match found.get(kernel) {
            Some(places) => places,
            None => found.entry(kernel.to_owned()).or_insert(places(images, kernel)),
        };
        places.clone().map(|places| places.into_iter().filter_map(|at| images.get(at).cloned()).collect())
    }
}

fn places(images: &[KernelImage], kernel: &str) -> Found {
    let images_of = occ_artifacts::find(images, kernel)?;
    let is_one = |image: &KernelImage| images_of.iter().any(|one| std::ptr::eq(*one, image));
    Ok((0..images.len())
        .filter(|&at| images_of.first().is_some_and(|one| one.name == images[at].name) && is_one(&images[at]))
        .collect())
}

/// Why a file was not read.
pub(crate) struct Unread {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
    /// Whether the file exists, so that a change of it can be noticed.
    pub(crate) is_there: bool,
}

/// What a path begins with that is relative to the directory of a build script's output.
pub(crate) const OUT_DIR: &str = "$OUT_DIR/";

/// A state of a file. While it stays, so does what was read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
}

type Known = HashMap<PathBuf, (State, Result<Arc<Content>, Damage>)>;

/// What was read in this process. An editor keeps the process for hours, so every use looks at the file's state.
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The kernels of a file that an attribute names.
pub(crate) fn read(name: &str) -> Result<Artifact, Unread> {
    let path = resolve(name)?;
    let state = state(&path).map_err(|error| absent(name, &path, &error))?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let content = match known.get(&path) {
        Some((before, content)) if *before == state && state.modified.is_some() => content.clone(),
        _ => {
            let content = parse(&path);
            known.insert(path, (state, content.clone()));
            content
        }
    };
    match content {
        Ok(content) => Ok(Artifact { name: name.to_owned(), content }),
        Err(Damage { text, help }) => {
            Err(Unread { text: format!("`{name}`: {text}"), notes: help.into_iter().collect(), is_there: true })
        }
    }
}

fn parse(path: &Path) -> Result<Arc<Content>, Damage> {
    let bytes = fs::read(path).map_err(|error| Damage { text: error.to_string(), help: None })?;
    let images = occ_artifacts::read(&bytes).map_err(|error| Damage {
        text: error.to_string(),
        help: match error.problem {
            Problem::NeedsFeature { feature, .. } => {
                Some(format!("help: add `features = [\"{feature}\"]` to `occ-runtime` in `Cargo.toml`"))
            }
            _ => None,
        },
    })?;
    Ok(Arc::new(Content { images, found: Mutex::default() }))
}

fn state(path: &Path) -> std::io::Result<State> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a directory"));
    }
    Ok(State { length: metadata.len(), modified: metadata.modified().ok() })
}

/// Where a file lies: relative to the package, or to the output of its build script.
fn resolve(name: &str) -> Result<PathBuf, Unread> {
    let (variable, rest) = match name.strip_prefix(OUT_DIR) {
        Some(rest) => ("OUT_DIR", rest),
        None => ("CARGO_MANIFEST_DIR", name),
    };
    match env::var_os(variable) {
        Some(directory) if !rest.is_empty() => Ok(Path::new(&directory).join(rest)),
        Some(_) => Err(Unread { text: "`cubin` names no file".to_owned(), notes: Vec::new(), is_there: false }),
        None => Err(Unread {
            text: format!("`{name}` cannot be found: there is no `{variable}`"),
            notes: vec![match variable {
                "OUT_DIR" => "help: the package needs a build script (`build.rs`) that makes the file".to_owned(),
                _ => "help: build with cargo, or name the file by its whole path".to_owned(),
            }],
            is_there: false,
        }),
    }
}

fn absent(name: &str, path: &Path, error: &std::io::Error) -> Unread {
    let text = match error.kind() {
        std::io::ErrorKind::NotFound => format!("`{name}` does not exist"),
        _ => format!("`{name}` cannot be read: {error}"),
    };
    let mut notes = Vec::new();
    if name.starts_with(OUT_DIR) {
        notes.push("note: it was looked for in the output directory of the package's build script".to_owned());
    } else {
        notes.push("note: paths are relative to the directory of the package's `Cargo.toml`".to_owned());
    }
    if error.kind() != std::io::ErrorKind::NotFound {
        return Unread { text, notes: Vec::new(), is_there: false };
    }
    let wanted = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let beside: Vec<String> = path
        .parent()
        .and_then(|directory| fs::read_dir(directory).ok())
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    let candidates: Vec<&str> = beside.iter().map(String::as_str).collect();
    if let Some(nearest) = occ_core::did_you_mean(&wanted, &candidates) {
        notes.push(format!("help: did you mean `{}`?", name.replace(&wanted, nearest)));
    }
    Unread { text, notes, is_there: false }
}

/// How many bytes of one file the trackers of a crate may make the compiler read. Each reads the whole file again.
const TRACKED: u64 = 64 << 20;

/// Those of the files that an attribute must have tracked: each time while that is cheap, since any expansion may be
/// dropped by the code around it, and once at least.
pub(crate) fn to_track(files: &[String]) -> Vec<String> {
    static DONE: LazyLock<Mutex<HashMap<PathBuf, u64>>> = LazyLock::new(Mutex::default);
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wanted = |name: &String| {
        let Ok(path) = resolve(name) else {
            return false;
        };
        let length = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let read = done.entry(path).or_insert(0);
        let is_wanted = *read == 0 || *read < TRACKED;
        *read = read.saturating_add(length.max(1));
        is_wanted
    };
    files.iter().filter(|name| wanted(name)).cloned().collect()
}

//! Files of compiled kernels: each is read once in a compiler process, however many attributes name it.

use crate::diagnostics::{Diagnostic, TokenRange};
use crate::messages;
use crate::tracking::OUT_DIR;
use occ_artifacts::{KernelImage, NameError, Problem};
use std::collections::HashMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct Artifact {
    /// Its path as written.
    pub(super) name: String,
    content: Arc<Content>,
}

/// The kernels of a file.
#[derive(Debug)]
struct Content {
    images: Vec<KernelImage>,
    /// Indices of the images, sorted by mangled name.
    by_name: Vec<usize>,
    /// The kernel of each name that was looked for: attributes tend to name the same ones.
    found: Mutex<HashMap<String, Found>>,
}

/// Why a file could not be read.
#[derive(Clone)]
struct Damage {
    text: String,
    /// Feature of `occ-runtime` that reads it.
    needed_feature: Option<&'static str>,
}

/// Mangled name of the kernel that another name means.
type Found = Result<Arc<str>, NameError>;

impl Artifact {
    /// Returns the images of the kernel that a name means.
    pub(super) fn find(&self, kernel: &str) -> Result<Vec<KernelImage>, NameError> {
        let Content { images, by_name, found } = &*self.content;
        let name_of = |at: &usize| images.get(*at).map_or("", |image| &image.name);
        let of_name = |name: &str| -> Vec<KernelImage> {
            let first = by_name.partition_point(|at| name_of(at) < name);
            let same = by_name.iter().skip(first).take_while(|at| name_of(at) == name);
            same.filter_map(|&at| images.get(at).cloned()).collect()
        };
        let exact = of_name(kernel);
        if !exact.is_empty() {
            return Ok(exact);
        }
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = found.entry(kernel.to_owned()).or_insert_with(|| {
            let meant = occ_artifacts::find(images, kernel)?;
            Ok(meant.first().map_or_else(|| Arc::from(""), |image| image.name.clone()))
        });
        meant.as_ref().map(|name| of_name(name)).map_err(Clone::clone)
    }
}

/// State of a file. As long as it is unchanged, so is what was read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
}

/// A file as it was last seen.
struct Known {
    state: State,
    content: Result<Arc<Content>, Damage>,
    /// Bytes that its trackers so far make the compiler read.
    tracked: u64,
}

/// What was read in this process. An editor keeps the process for hours, so every use compares the file's state.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

/// Returns the kernels of a file that an attribute names.
pub(crate) fn read(name: &str, at: TokenRange) -> Result<Artifact, Diagnostic> {
    let path = resolve(name, at)?;
    let state = state(&path).map_err(|error| absent(name, at, &path, &error))?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let content = match known.get(&path) {
        Some(known) if known.state == state && state.modified.is_some() => known.content.clone(),
        _ => {
            let content = parse(&path);
            known.insert(path, Known { state, content: content.clone(), tracked: 0 });
            content
        }
    };
    match content {
        Ok(content) => Ok(Artifact { name: name.to_owned(), content }),
        Err(Damage { text, needed_feature }) => {
            Err(messages::unreadable_file(at, name, text).maybe_help(needed_feature.map(messages::needs_feature)))
        }
    }
}

fn parse(path: &Path) -> Result<Arc<Content>, Damage> {
    let bytes = fs::read(path).map_err(|error| Damage { text: error.to_string(), needed_feature: None })?;
    let images = occ_artifacts::read(&bytes).map_err(|error| Damage {
        text: error.to_string(),
        needed_feature: match error.problem {
            Problem::NeedsFeature { feature, .. } => Some(feature),
            _ => None,
        },
    })?;
    let mut by_name: Vec<usize> = (0..images.len()).collect();
    by_name.sort_by(|one, other| images[*one].name.cmp(&images[*other].name));
    Ok(Arc::new(Content { images, by_name, found: Mutex::default() }))
}

/// Returns a file's state. What is not a file, such as a pipe, might never end.
fn state(path: &Path) -> io::Result<State> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        Ok(State { length: metadata.len(), modified: metadata.modified().ok() })
    } else {
        Err(io::Error::other(messages::not_a_file()))
    }
}

/// Returns where a file is: relative to the package, or to the output directory of its build script.
fn resolve(name: &str, at: TokenRange) -> Result<PathBuf, Diagnostic> {
    let (variable, rest) = match name.strip_prefix(OUT_DIR) {
        Some(rest) => ("OUT_DIR", rest.trim_start_matches('/')),
        None if Path::new(name).is_absolute() => return Ok(PathBuf::from(name)),
        None => ("CARGO_MANIFEST_DIR", name),
    };
    match env::var_os(variable) {
        Some(directory) if !rest.is_empty() => Ok(Path::new(&directory).join(rest)),
        Some(_) => Err(messages::no_file_name(at)),
        None if variable == "OUT_DIR" => Err(messages::no_out_dir(at)),
        None => Err(messages::no_manifest_dir(at)),
    }
}

fn absent(name: &str, at: TokenRange, path: &Path, error: &io::Error) -> Diagnostic {
    if error.kind() != io::ErrorKind::NotFound {
        return messages::unreadable_file(at, name, error);
    }
    let mut error = messages::missing_file(at, name);
    if name.starts_with(OUT_DIR) {
        error = error.note(messages::in_out_dir());
    } else if name.contains("$OUT_DIR") || name.contains("${OUT_DIR}") {
        error = error.help(messages::misplaced_out_dir());
    } else if !Path::new(name).is_absolute() {
        error = error.note(messages::in_package());
    }
    let file_name = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let siblings: Vec<String> = path
        .parent()
        .and_then(|directory| fs::read_dir(directory).ok())
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let candidates: Vec<&str> = siblings.iter().map(String::as_str).collect();
    match (occ_core::internal::did_you_mean(&file_name, &candidates), name.strip_suffix(&file_name)) {
        (Some(nearest), Some(directory)) => error.help(messages::did_you_mean(format_args!("{directory}{nearest}"))),
        _ => error,
    }
}

/// Maximum bytes of one file that the trackers of a crate make the compiler read. Each reads the whole file again.
const MAX_TRACKED: u64 = 64 << 20;

/// Returns the files that an attribute must have tracked: each file at least once, and more often while that is cheap,
/// since the code around an expansion may drop it.
pub(crate) fn to_track(files: &[String]) -> Vec<String> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_needed = |name: &String| {
        // The range is of no use: the file was resolved before.
        let nowhere = TokenRange::at(proc_macro2::Span::call_site());
        let Some(file) = resolve(name, nowhere).ok().and_then(|path| known.get_mut(&path)) else {
            return false;
        };
        let is_needed = file.tracked == 0 || file.tracked < MAX_TRACKED;
        file.tracked = file.tracked.saturating_add(file.state.length.max(1));
        is_needed
    };
    files.iter().filter(|name| is_needed(name)).cloned().collect()
}

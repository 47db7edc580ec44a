//! Compiled artifacts: read once in a compiler process, however many attributes name them.

mod choose;

pub(crate) use choose::choose;

use crate::config::{OUT_DIR, Unread};
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
    /// Its path as it was written.
    name: String,
    content: Arc<Content>,
}

/// The kernels of a file.
#[derive(Debug)]
struct Content {
    images: Vec<KernelImage>,
    /// Where the images are, sorted by mangled name.
    by_name: Vec<usize>,
    /// Which kernels each name has meant so far: attributes tend to ask for the same ones.
    found: Mutex<HashMap<String, Found>>,
}

/// A file that could not be read, in words, and what would help.
#[derive(Clone)]
struct Damage {
    text: String,
    help: Option<String>,
}

/// The mangled name of the kernel that another name means.
type Found = Result<Arc<str>, NameError>;

impl Artifact {
    /// The images of the kernel that a name means.
    fn find(&self, kernel: &str) -> Result<Vec<KernelImage>, NameError> {
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

/// A state of a file. While it stays, so does what was read.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
}

/// A file as it was last seen.
struct Known {
    state: State,
    content: Result<Arc<Content>, Damage>,
    /// Bytes of it that the trackers so far make the compiler read.
    tracked: u64,
}

/// What was read in this process. An editor keeps the process for hours, so every use looks at the file's state.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

/// The kernels of a file that an attribute names.
pub(crate) fn read(name: &str) -> Result<Artifact, Unread> {
    let path = resolve(name)?;
    let state = state(&path).map_err(|error| absent(name, &path, &error))?;
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
        Err(Damage { text, help }) => {
            Err(Unread { text: format!("`{name}`: {text}"), lines: help.into_iter().collect() })
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
    let mut by_name: Vec<usize> = (0..images.len()).collect();
    by_name.sort_by(|one, other| images[*one].name.cmp(&images[*other].name));
    Ok(Arc::new(Content { images, by_name, found: Mutex::default() }))
}

/// A file's state. What is no file, such as a pipe, would never end.
fn state(path: &Path) -> io::Result<State> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        Ok(State { length: metadata.len(), modified: metadata.modified().ok() })
    } else {
        Err(io::Error::other("it is not a file"))
    }
}

/// Where a file lies: relative to the package, or to the output of its build script.
fn resolve(name: &str) -> Result<PathBuf, Unread> {
    let (variable, rest) = match name.strip_prefix(OUT_DIR) {
        Some(rest) => ("OUT_DIR", rest.trim_start_matches('/')),
        None if Path::new(name).is_absolute() => return Ok(PathBuf::from(name)),
        None => ("CARGO_MANIFEST_DIR", name),
    };
    match env::var_os(variable) {
        Some(directory) if !rest.is_empty() => Ok(Path::new(&directory).join(rest)),
        Some(_) => Err(Unread { text: "`cubin` names no file".to_owned(), lines: Vec::new() }),
        None => Err(Unread {
            text: format!("files cannot be found: there is no `{variable}`"),
            lines: vec![match variable {
                "OUT_DIR" => "help: the package needs a build script (`build.rs`) that makes the file".to_owned(),
                _ => "help: build with cargo, or name the file by its whole path".to_owned(),
            }],
        }),
    }
}

fn absent(name: &str, path: &Path, error: &io::Error) -> Unread {
    if error.kind() != io::ErrorKind::NotFound {
        return Unread { text: format!("`{name}` cannot be read: {error}"), lines: Vec::new() };
    }
    let place = if name.starts_with(OUT_DIR) {
        "note: it was looked for in the output directory of the package's build script"
    } else if name.contains("$OUT_DIR") || name.contains("${OUT_DIR}") {
        "help: a file that the build script made is written `$OUT_DIR/saxpy.cubin`"
    } else if Path::new(name).is_absolute() {
        "note: this is a whole path"
    } else {
        "note: paths are relative to the directory of the package's `Cargo.toml`, or begin with `$OUT_DIR/`"
    };
    let mut lines = vec![place.to_owned()];
    let wanted = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = path.parent().and_then(|directory| fs::read_dir(directory).ok()).into_iter().flatten();
    let beside: Vec<String> = beside
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let candidates: Vec<&str> = beside.iter().map(String::as_str).collect();
    if let Some(nearest) = occ_core::internal::did_you_mean(&wanted, &candidates)
        && let Some(directory) = name.strip_suffix(&wanted)
    {
        lines.push(format!("help: did you mean `{directory}{nearest}`?"));
    }
    Unread { text: format!("`{name}` does not exist"), lines }
}

/// How many bytes of one file the trackers of a crate may make the compiler read. Each reads the whole file again.
const TRACKED: u64 = 64 << 20;

/// Those of the files that an attribute must have tracked: each time while that is cheap, since any expansion may be
/// dropped by the code around it, and once at least.
pub(crate) fn to_track(files: &[String]) -> Vec<String> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wanted = |name: &String| {
        let Some(file) = resolve(name).ok().and_then(|path| known.get_mut(&path)) else {
            return false;
        };
        let is_wanted = file.tracked == 0 || file.tracked < TRACKED;
        file.tracked = file.tracked.saturating_add(file.state.length.max(1));
        is_wanted
    };
    files.iter().filter(|name| wanted(name)).cloned().collect()
}

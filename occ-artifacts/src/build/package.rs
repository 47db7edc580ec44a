//! The package that is built: its paths and files.

use crate::build::error::Error;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The directories of the package.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// `CARGO_MANIFEST_DIR`.
    pub(crate) root: PathBuf,
    /// `OUT_DIR`.
    pub(crate) out: PathBuf,
}

const OUT: &str = "$OUT_DIR/";

impl Package {
    pub(crate) fn from_environment() -> Result<Package, Error> {
        let directory =
            |name: &'static str| env::var_os(name).map(PathBuf::from).ok_or(Error::NotABuildScript { variable: name });
        Ok(Package { root: directory("CARGO_MANIFEST_DIR")?, out: directory("OUT_DIR")? })
    }

    /// Returns a path on this machine.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }

    /// Returns a path in a form that is the same on every machine; `None` for a path outside of the package.
    pub(crate) fn portable(&self, path: &Path) -> Option<String> {
        let text = |path: &Path| path.to_string_lossy().replace('\\', "/");
        if let Ok(inside) = path.strip_prefix(&self.out) {
            return Some(format!("{OUT}{}", text(inside)));
        }
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        if path.is_relative() { Some(text(path)) } else { None }
    }

    /// Returns the path on this machine for a name from [`Package::portable`].
    pub(crate) fn resolve_portable(&self, name: &str) -> PathBuf {
        name.strip_prefix(OUT).map_or_else(|| self.root.join(name), |inside| self.out.join(inside))
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|error| Error::file("read", path, &error))
}

pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|error| Error::file("write", path, &error))
}

/// Writes a file unless it has this content already: a new file time would make Cargo rebuild.
pub(crate) fn write_if_different(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|current| current == bytes) { Ok(()) } else { write(path, bytes) }
}

pub(crate) fn create_directory(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|error| Error::file("create", path, &error))
}

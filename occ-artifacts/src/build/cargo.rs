//! What a build script reads from Cargo and says to it.

use std::env;
use std::ffi::OsString;
use std::path::Path;

/// A variable that may be changed: Cargo runs the build script again when it is.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The value of a variable that turns something on.
pub(crate) fn switch(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| value != "0")
}

/// Cargo runs the build script again when this file, or one in this directory, is changed.
pub(crate) fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

/// Cargo shows this with the build.
pub(crate) fn warning(text: &str) {
    println!("cargo:warning={}", text.replace(['\r', '\n'], " "));
}

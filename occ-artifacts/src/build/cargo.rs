//! Communication between a build script and Cargo.

use std::env;
use std::ffi::OsString;
use std::path::Path;

/// Returns the value of a variable, unless it is empty. Cargo reruns the build script when it changes.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the value of a variable that enables something; `0` disables it.
pub(crate) fn switch(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| value != "0")
}

/// Has Cargo rerun the build script when this file, or one in this directory, changes.
pub(crate) fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

/// Has Cargo print a warning.
pub(crate) fn warning(text: &str) {
    println!("cargo:warning={}", text.replace(['\r', '\n'], " "));
}

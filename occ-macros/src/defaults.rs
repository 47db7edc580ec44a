//! Defaults for a whole workspace, from environment variables that cargo's `[env]` or a CI sets.

/// Targets, separated by commas.
pub(crate) const ARCH: &str = "OCC_ARCH";
/// Names of GPUs, separated by commas.
pub(crate) const GPU: &str = "OCC_GPU";
/// Theoretical occupancy, 0.0 to 1.0.
pub(crate) const MIN_OCCUPANCY: &str = "OCC_MIN_OCCUPANCY";

/// Returns the value of a variable, unless it is empty.
pub(crate) fn read(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.trim().is_empty())
}

/// Returns the entries of a list.
pub(crate) fn list(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

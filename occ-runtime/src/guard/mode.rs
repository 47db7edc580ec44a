//! What the guard does with a difference: as the spec says, or as the environment does.

use crate::spec::OnMismatch;
use std::ffi::OsStr;
use std::sync::OnceLock;

/// The environment variable that decides for the whole program.
const VARIABLE: &str = "OCC_RUNTIME";

impl OnMismatch {
    /// What `OCC_RUNTIME` says, where it is set, for every spec of the program; else what this spec says.
    pub(crate) fn or_environment(self) -> OnMismatch {
        static SET: OnceLock<Option<OnMismatch>> = OnceLock::new();
        SET.get_or_init(|| from_environment(std::env::var_os(VARIABLE).as_deref())).unwrap_or(self)
    }
}

fn from_environment(value: Option<&OsStr>) -> Option<OnMismatch> {
    let value = value?.to_string_lossy();
    match &*value {
        "error" => Some(OnMismatch::Error),
        "warn" => Some(OnMismatch::Warn),
        "off" => Some(OnMismatch::Ignore),
        "" => None,
        other => {
            log::error!(target: super::LOG, "`{VARIABLE}` is `{other}`, which is none of `error`, `warn` and `off`: it is not followed");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (value, expected) in [
            (None, None),
            (Some(""), None),
            (Some("error"), Some(OnMismatch::Error)),
            (Some("warn"), Some(OnMismatch::Warn)),
            (Some("off"), Some(OnMismatch::Ignore)),
            (Some("Warn"), None),
        ] {
            assert_eq!(from_environment(value.map(OsStr::new)), expected, "{value:?}");
        }
    }
}

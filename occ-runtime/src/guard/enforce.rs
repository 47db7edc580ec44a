//! What a difference leads to, as `on_mismatch` and `OCC_RUNTIME` have it: a refused launch, a line in the log, or nothing.

use super::device::DeviceReport;
use super::error::{LaunchError, Message, Refused, is_refused};
use super::mismatch::{Finding, Mismatch, Severity};
use super::report::Report;
use crate::spec::{LaunchSpec, OnMismatch};
use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};
use std::vec::Vec;

/// Target of this crate's log records.
pub(crate) const LOG_TARGET: &str = "occ_runtime";

/// Environment variable that decides for the whole program.
const VARIABLE: &str = "OCC_RUNTIME";

impl OnMismatch {
    /// Returns what `OCC_RUNTIME` says for the whole program, or itself if the variable is not set.
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
            log::error!(target: LOG_TARGET, "ignoring `{VARIABLE}={other}`: expected `error`, `warn` or `off`");
            None
        }
    }
}

/// Turns a report into a verdict, and logs the findings that do not stop the launch.
pub(super) fn conclude(mode: OnMismatch, report: &Report) -> Result<(), LaunchError> {
    let Report { kernel, device, findings, blocks_per_sm, .. } = report;
    if mode == OnMismatch::Error && is_refused(findings) {
        return Err(refused(kernel, device, findings.clone()));
    }
    if mode != OnMismatch::Ignore {
        let message = Message { kernel, device: &device.name, capability: device.capability, findings };
        if findings.is_empty() {
            let percent = report.occupancy() * 100.0;
            log::debug!(target: LOG_TARGET, "{message}, {blocks_per_sm} blocks per SM, occupancy {percent:.1}%");
        } else {
            log::warn!(target: LOG_TARGET, "{message}");
        }
    }
    Ok(())
}

/// Refuses a launch for one difference, logs it, or does nothing.
#[cold]
pub(super) fn enforce(
    mode: OnMismatch,
    spec: &LaunchSpec,
    device: &DeviceReport,
    mismatch: Mismatch,
) -> Result<(), LaunchError> {
    let error = refused(spec.name(), device, [Finding { severity: Severity::Error, mismatch }].into());
    match mode {
        OnMismatch::Error => return Err(error),
        OnMismatch::Warn => log::warn!(target: LOG_TARGET, "{error}"),
        OnMismatch::Ignore => {}
    }
    Ok(())
}

fn refused(kernel: &'static str, device: &DeviceReport, findings: Vec<Finding>) -> LaunchError {
    let (device, capability) = (device.name.clone(), device.capability);
    LaunchError::Refused(Arc::new(Refused { kernel, device, capability, findings }))
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

//! Why a launch was not made.

use super::mismatch::{Finding, Mismatch, Severity};
use crate::driver::DriverError;
use core::fmt;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

/// Why a launch was not made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LaunchError {
    /// The launch is not the one that was checked, cannot run, or misses the requirement here.
    Refused(Arc<Refused>),
    /// A call of the driver failed: one of the guard's or the launch itself.
    Driver {
        /// Name of the spec's kernel.
        kernel: &'static str,
        /// Failed call and its code.
        error: DriverError,
    },
}

/// A launch that the guard refuses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// Name of the spec's kernel.
    pub kernel: &'static str,
    /// Name of the product.
    pub device: String,
    /// Compute capability of the device, major and minor.
    pub capability: [u32; 2],
    /// All differences, the worst first: the launch is refused for it.
    pub findings: Vec<Finding>,
}

impl LaunchError {
    pub(crate) fn driver(kernel: &'static str, error: DriverError) -> Self {
        LaunchError::Driver { kernel, error }
    }

    /// Returns the driver's code that the launch met or would have met.
    pub fn cuda_code(&self) -> i32 {
        match self {
            LaunchError::Refused(refused) => refused.reason().map_or(DriverError::INVALID_VALUE, Mismatch::cuda_code),
            LaunchError::Driver { error, .. } => error.code,
        }
    }

    /// Returns the difference that the launch was refused for, or `None` if a call of the driver failed.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        match self {
            LaunchError::Refused(refused) => refused.reason(),
            LaunchError::Driver { .. } => None,
        }
    }
}

impl Refused {
    /// Returns the difference that the launch was refused for.
    pub fn reason(&self) -> Option<&Mismatch> {
        self.findings.first().map(|finding| &finding.mismatch)
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Refused(refused) => refused.fmt(f),
            LaunchError::Driver { kernel, error } => write!(f, "`{kernel}`: {error}"),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { kernel, device, capability, findings } = self;
        Message { kernel, device, capability: *capability, findings }.fmt(f)
    }
}

impl core::error::Error for LaunchError {}

/// The findings about one launch as a message: the worst in the first line, then notes, then help.
pub(super) struct Message<'a> {
    pub(super) kernel: &'a str,
    pub(super) device: &'a str,
    pub(super) capability: [u32; 2],
    pub(super) findings: &'a [Finding],
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { kernel, device, capability: [major, minor], findings } = self;
        write!(f, "`{kernel}` on {device} (sm_{major}{minor}): ")?;
        let Some(first) = findings.first() else {
            return f.write_str("as checked");
        };
        write!(f, "{}", first.mismatch)?;
        first.mismatch.note(&mut |note| write!(f, "\n  = note: {note}"))?;
        for finding in &findings[1..] {
            write!(f, "\n  = note: {}", finding.mismatch)?;
        }
        let mut has_help = false;
        let is_refused = is_refused(findings);
        for (at, finding) in findings.iter().enumerate() {
            // A refused launch needs another kernel, not another declaration.
            if is_refused
                && at > 0
                && matches!(finding.mismatch, Mismatch::Registers { .. } | Mismatch::StaticSmem { .. })
            {
                continue;
            }
            // One change at a time.
            if !has_help {
                finding.mismatch.help(&mut |help| {
                    has_help = true;
                    write!(f, "\n  = help: {help}")
                })?;
            }
        }
        Ok(())
    }
}

/// Sorts findings by severity, the worst first.
pub(super) fn worst_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| core::cmp::Reverse(finding.severity));
}

/// Returns whether one of the findings stops a launch.
pub(super) fn is_refused(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

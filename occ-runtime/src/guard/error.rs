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
    /// It is not the launch that was checked, or it cannot run or falls short here.
    Refused(Arc<Refused>),
    /// A call of the driver failed: one of the guard's, or the launch itself.
    Driver {
        /// The kernel of the spec.
        kernel: &'static str,
        /// Which call, and its code.
        error: DriverError,
    },
}

/// A launch that the guard does not let pass.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// The kernel of the spec.
    pub kernel: &'static str,
    /// The product's name.
    pub device: String,
    /// The device's compute capability, major and minor.
    pub capability: [u32; 2],
    /// Every difference that was found, the worst first: it is what the launch is refused for.
    pub findings: Vec<Finding>,
}

impl LaunchError {
    pub(crate) fn driver(kernel: &'static str, error: DriverError) -> Self {
        LaunchError::Driver { kernel, error }
    }

    /// The code of the driver that the launch met, or would have met.
    pub fn cuda_code(&self) -> i32 {
        match self {
            LaunchError::Refused(refused) => refused.reason().map_or(DriverError::INVALID_VALUE, Mismatch::cuda_code),
            LaunchError::Driver { error, .. } => error.code,
        }
    }

    /// The difference it was refused for, if it was not the driver that failed.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        match self {
            LaunchError::Refused(refused) => refused.reason(),
            LaunchError::Driver { .. } => None,
        }
    }
}

impl Refused {
    /// The difference it was refused for.
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
            // What was declared is not what is wrong with a launch that is refused.
            if is_refused
                && at > 0
                && matches!(finding.mismatch, Mismatch::Registers { .. } | Mismatch::StaticSmem { .. })
            {
                continue;
            }
            // One change at a time: the first that there is.
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

/// The worst first, as they are reported.
pub(super) fn worst_first(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| core::cmp::Reverse(finding.severity));
}

/// Whether one of them stops a launch.
pub(super) fn is_refused(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

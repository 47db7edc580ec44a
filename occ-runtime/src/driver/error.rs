//! Calls of the driver that failed.

use core::fmt;

/// A call of the driver that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DriverError {
    /// The function that was called, as `cuda.h` names it.
    pub call: &'static str,
    /// Its result: a `CUresult` that is not 0. A newer driver may return codes that no header of today names.
    pub code: i32,
}

impl DriverError {
    /// `CUDA_ERROR_INVALID_VALUE`
    pub const INVALID_VALUE: i32 = 1;
    /// `CUDA_ERROR_INVALID_CONTEXT`
    pub const INVALID_CONTEXT: i32 = 201;
    /// `CUDA_ERROR_NOT_FOUND`
    pub const NOT_FOUND: i32 = 500;
    /// `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`
    pub const LAUNCH_OUT_OF_RESOURCES: i32 = 701;
    /// `CUDA_ERROR_INVALID_CLUSTER_SIZE`
    pub const INVALID_CLUSTER_SIZE: i32 = 912;

    /// Returns the code's name in `cuda.h`, for the codes that launches and queries commonly meet.
    pub const fn name(&self) -> Option<&'static str> {
        Some(match self.code {
            1 => "CUDA_ERROR_INVALID_VALUE",
            2 => "CUDA_ERROR_OUT_OF_MEMORY",
            3 => "CUDA_ERROR_NOT_INITIALIZED",
            4 => "CUDA_ERROR_DEINITIALIZED",
            34 => "CUDA_ERROR_STUB_LIBRARY",
            100 => "CUDA_ERROR_NO_DEVICE",
            101 => "CUDA_ERROR_INVALID_DEVICE",
            200 => "CUDA_ERROR_INVALID_IMAGE",
            201 => "CUDA_ERROR_INVALID_CONTEXT",
            209 => "CUDA_ERROR_NO_BINARY_FOR_GPU",
            218 => "CUDA_ERROR_INVALID_PTX",
            222 => "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
            400 => "CUDA_ERROR_INVALID_HANDLE",
            500 => "CUDA_ERROR_NOT_FOUND",
            700 => "CUDA_ERROR_ILLEGAL_ADDRESS",
            701 => "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
            702 => "CUDA_ERROR_LAUNCH_TIMEOUT",
            709 => "CUDA_ERROR_CONTEXT_IS_DESTROYED",
            719 => "CUDA_ERROR_LAUNCH_FAILED",
            720 => "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
            800 => "CUDA_ERROR_NOT_PERMITTED",
            801 => "CUDA_ERROR_NOT_SUPPORTED",
            912 => "CUDA_ERROR_INVALID_CLUSTER_SIZE",
            999 => "CUDA_ERROR_UNKNOWN",
            _ => return None,
        })
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` returned {}", self.call, self.code)?;
        match self.name() {
            Some(name) => write!(f, ", `{name}`"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for DriverError {}

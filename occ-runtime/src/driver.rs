//! What the guard asks of a CUDA driver, and changes in it.
//!
//! [`Driver`] is the boundary: the driver of this machine implements it (`Cuda`), and so can another binding or a
//! test double. Everything above it is safe code that sees integers.

mod attributes;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod checked;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod cuda;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod raw;

pub use attributes::{DeviceAttribute, FunctionAttribute};
#[cfg(any(feature = "cust", feature = "loaded"))]
pub use cuda::Cuda;

use core::ffi::c_void;
use core::fmt;
use std::string::String;

/// The questions of the guard, answered for the context that is current on the calling thread.
///
/// Implement it for a binding the guard does not know, or for a test. Every method is at most one call of the driver. It
/// must not call the guard: a check waits for another of the same function, which would be itself.
pub trait Driver: Sync {
    /// The device of the current context (`cuCtxGetDevice`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::INVALID_CONTEXT`] if no context is current.
    fn current_device(&self) -> Result<Device, DriverError>;

    /// The product's name (`cuDeviceGetName`).
    ///
    /// # Errors
    ///
    /// What the driver returned.
    fn device_name(&self, device: Device) -> Result<String, DriverError>;

    /// One attribute of a device (`cuDeviceGetAttribute`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::INVALID_VALUE`] if it is too old to know the attribute.
    fn device_attribute(&self, device: Device, attribute: DeviceAttribute) -> Result<i32, DriverError>;

    /// One attribute of a function (`cuFuncGetAttribute`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::INVALID_VALUE`] if it is too old to know the attribute.
    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32, DriverError>;

    /// Sets an attribute of a function (`cuFuncSetAttribute`). The guard only ever raises one.
    ///
    /// # Errors
    ///
    /// What the driver returned.
    fn set_function_attribute(
        &self,
        function: Function,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), DriverError>;

    /// Blocks of `threads` threads with `dynamic_smem` bytes that an SM holds at once
    /// (`cuOccupancyMaxActiveBlocksPerMultiprocessor`). 0 is an answer: the launch cannot run.
    ///
    /// # Errors
    ///
    /// What the driver returned.
    fn max_active_blocks_per_sm(&self, function: Function, threads: u32, dynamic_smem: u32)
    -> Result<u32, DriverError>;

    /// Clusters that the device holds at once (`cuOccupancyMaxActiveClusters`). 0 is an answer.
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::NOT_FOUND`] if it is older than CUDA 11.8 and lacks the function.
    fn max_active_clusters(&self, function: Function, launch: &ClusterLaunch) -> Result<u32, DriverError>;
}

/// A device of the driver (`CUdevice`): its ordinal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Device(pub i32);

/// A function handle of the driver (`CUfunction`), as a number: the guard never follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function(usize);

impl Function {
    /// The function behind a raw handle, whichever binding it comes from.
    ///
    /// # Safety
    ///
    /// The handle is that of a function whose module stays loaded for as long as this value or a copy of it is used.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw<T>(handle: *mut T) -> Self {
        Function(handle.expose_provenance())
    }

    /// The raw handle again.
    pub fn to_raw(self) -> *mut c_void {
        core::ptr::with_exposed_provenance_mut(self.0)
    }

    pub(crate) fn number(self) -> usize {
        self.0
    }
}

/// A launch as clusters, as the driver is asked about it. All axes from 1, shared memory in bytes per block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterLaunch {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Dynamic shared memory.
    pub dynamic_smem: u32,
}

/// A call of the driver that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct DriverError {
    /// The function that was called, as `cuda.h` names it.
    pub call: &'static str,
    /// Its result: a `CUresult` that is not 0. A driver may return codes that no header of today names.
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

    /// The code's name in `cuda.h`, for the codes a launch or a query commonly meets.
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

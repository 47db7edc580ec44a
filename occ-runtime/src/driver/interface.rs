//! The boundary to a driver: the calls of the guard, and a launch as it is passed on.

use super::attributes::{DeviceAttribute, FunctionAttribute};
use super::error::DriverError;
use core::ffi::c_void;
use std::string::String;

/// The driver calls that the guard makes, in the context that is current on the calling thread.
///
/// Implement it for a binding that the guard does not know, or for a test. Every method makes at most one call of the
/// driver. An implementation must not call the guard: it would wait for the check that it is part of.
pub trait Driver: Sync {
    /// Returns the device of the current context (`cuCtxGetDevice`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::INVALID_CONTEXT`] if no context is current.
    fn current_device(&self) -> Result<Device, DriverError>;

    /// Returns the product's name (`cuDeviceGetName`).
    ///
    /// # Errors
    ///
    /// What the driver returned.
    fn device_name(&self, device: Device) -> Result<String, DriverError>;

    /// Returns an attribute of a device (`cuDeviceGetAttribute`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::INVALID_VALUE`] if it is too old to know the attribute.
    fn device_attribute(&self, device: Device, attribute: DeviceAttribute) -> Result<i32, DriverError>;

    /// Returns an attribute of a function (`cuFuncGetAttribute`).
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

    /// Returns the number of blocks of `threads` threads and `dynamic_smem` bytes that an SM holds at once
    /// (`cuOccupancyMaxActiveBlocksPerMultiprocessor`). 0 says that the launch cannot run.
    ///
    /// # Errors
    ///
    /// What the driver returned.
    fn max_active_blocks_per_sm(&self, function: Function, threads: u32, dynamic_smem: u32)
    -> Result<u32, DriverError>;

    /// Returns the number of clusters that the device holds at once (`cuOccupancyMaxActiveClusters`).
    ///
    /// # Errors
    ///
    /// What the driver returned; [`DriverError::NOT_FOUND`] if it is older than CUDA 11.8 and lacks the function.
    fn max_active_clusters(&self, function: Function, launch: &ClusterLaunch) -> Result<u32, DriverError>;
}

/// The ordinal of a device (`CUdevice`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Device(pub i32);

/// A function handle (`CUfunction`) as a number: the guard never dereferences it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(usize);

impl Function {
    /// Creates a function from a raw handle, whichever binding it comes from.
    ///
    /// # Safety
    ///
    /// The handle is that of a function whose module stays loaded for as long as this value or a copy of it is used.
    #[allow(unsafe_code)]
    pub unsafe fn from_raw<T>(handle: *mut T) -> Self {
        Function(handle.expose_provenance())
    }

    /// Returns the raw handle.
    pub fn to_raw(self) -> *mut c_void {
        core::ptr::with_exposed_provenance_mut(self.0)
    }
}

/// A launch with clusters whose number the driver is asked for. All axes are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterLaunch {
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z.
    pub cluster: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem: u32,
}

/// A launch as it is passed to the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem: u32,
    /// Blocks of a cluster along x, y and z. With `None` no cluster is passed, and the launch has the one that the
    /// kernel was compiled for, if any.
    pub cluster: Option<[u32; 3]>,
}

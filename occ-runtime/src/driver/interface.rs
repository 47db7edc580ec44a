//! The boundary to a driver: what is asked, about what, and a launch as it is passed on.

use super::attributes::{DeviceAttribute, FunctionAttribute};
use super::error::DriverError;
use core::ffi::c_void;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Device(pub i32);

/// A function handle of the driver (`CUfunction`), as a number: the guard never follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

//! The CUDA driver of this machine.

#![allow(unsafe_code)]

use super::attributes::{DeviceAttribute, FunctionAttribute};
use super::checked;
use super::error::DriverError;
#[cfg(feature = "cust")]
use super::interface::Launched;
use super::interface::{ClusterLaunch, Device, Driver, Function};
#[cfg(feature = "cust")]
use super::raw::LaunchKernelEx;
use super::raw::{Functions, MaxActiveClusters};
use core::ffi::c_int;
#[cfg(feature = "cust")]
use core::ffi::c_void;
use std::string::String;
use std::sync::OnceLock;

/// The CUDA driver of this machine: linked with the program, or loaded while it runs.
pub struct Cuda {
    functions: Functions,
    /// Functions of newer drivers, once looked up.
    max_active_clusters: OnceLock<Option<MaxActiveClusters>>,
    #[cfg(feature = "cust")]
    launch_kernel_ex: OnceLock<Option<LaunchKernelEx>>,
}

impl Cuda {
    const fn new(functions: Functions) -> Self {
        Cuda {
            functions,
            max_active_clusters: OnceLock::new(),
            #[cfg(feature = "cust")]
            launch_kernel_ex: OnceLock::new(),
        }
    }

    /// Returns the driver that cust links the program with.
    #[cfg(feature = "cust")]
    pub const fn linked() -> Self {
        Self::new(Functions::LINKED)
    }

    /// Loads the driver as cudarc does; it is the same library.
    ///
    /// # Errors
    ///
    /// [`DriverError`] with the code of `CUDA_ERROR_NOT_FOUND` if there is none, or if it lacks a function.
    #[cfg(feature = "loaded")]
    pub fn loaded() -> Result<Self, DriverError> {
        let library = library().ok_or(DriverError { call: "dlopen of libcuda.so.1", code: DriverError::NOT_FOUND })?;
        let functions = Functions::of_library(&library)
            .map_err(|missing| DriverError { call: missing, code: DriverError::NOT_FOUND })?;
        // The driver stays for as long as the program runs.
        core::mem::forget(library);
        Ok(Self::new(functions))
    }

    /// Launches with `cuLaunchKernelEx` if a cluster is passed, and with `cuLaunchKernel` otherwise.
    ///
    /// # Safety
    ///
    /// The function and the stream are loaded, and `arguments` point at what the kernel takes.
    #[cfg(feature = "cust")]
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        function: Function,
        stream: *mut c_void,
        launched: &Launched,
        arguments: &[*mut c_void],
    ) -> Result<(), DriverError> {
        let Launched { grid, block, dynamic_smem, cluster } = *launched;
        match cluster {
            // SAFETY: the caller's.
            None => unsafe { checked::launch(&self.functions, function.to_raw(), stream, launched, arguments) },
            Some(cluster) => {
                let launch = ClusterLaunch { grid, block, cluster, dynamic_smem };
                let call = *self.launch_kernel_ex.get_or_init(|| self.functions.launch_kernel_ex());
                // SAFETY: the caller's.
                unsafe { checked::launch_clusters(call, function.to_raw(), stream, &launch, arguments) }
            }
        }
    }
}

/// Names of the driver's library, in the order in which cudarc tries them.
#[cfg(feature = "loaded")]
const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };

#[cfg(feature = "loaded")]
fn library() -> Option<libloading::Library> {
    // SAFETY: loading the driver runs its initialisation, as cudarc does too.
    NAMES.iter().find_map(|name| unsafe { libloading::Library::new(*name) }.ok())
}

impl Driver for Cuda {
    fn current_device(&self) -> Result<Device, DriverError> {
        checked::current_device(&self.functions).map(Device)
    }

    fn device_name(&self, device: Device) -> Result<String, DriverError> {
        checked::device_name(&self.functions, device.0)
    }

    fn device_attribute(&self, device: Device, attribute: DeviceAttribute) -> Result<i32, DriverError> {
        checked::device_attribute(&self.functions, device.0, attribute.number())
    }

    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32, DriverError> {
        // SAFETY: a `Function` is a loaded function: see there.
        unsafe { checked::function_attribute(&self.functions, function.to_raw(), attribute.number()) }
    }

    fn set_function_attribute(
        &self,
        function: Function,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), DriverError> {
        // SAFETY: a `Function` is a loaded function: see there.
        unsafe { checked::set_function_attribute(&self.functions, function.to_raw(), attribute.number(), value) }
    }

    fn max_active_blocks_per_sm(
        &self,
        function: Function,
        threads: u32,
        dynamic_smem: u32,
    ) -> Result<u32, DriverError> {
        const CALL: &str = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
        let threads =
            c_int::try_from(threads).map_err(|_| DriverError { call: CALL, code: DriverError::INVALID_VALUE })?;
        // SAFETY: a `Function` is a loaded function: see there.
        let blocks = unsafe {
            checked::max_active_blocks_per_sm(&self.functions, function.to_raw(), threads, dynamic_smem as usize)
        }?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    fn max_active_clusters(&self, function: Function, launch: &ClusterLaunch) -> Result<u32, DriverError> {
        let call = *self.max_active_clusters.get_or_init(|| self.functions.max_active_clusters());
        // SAFETY: a `Function` is a loaded function: see there.
        let clusters = unsafe { checked::max_active_clusters(call, function.to_raw(), launch) }?;
        Ok(u32::try_from(clusters).unwrap_or(0))
    }
}

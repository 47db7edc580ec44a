//! The driver's functions with results as values or errors.

#![allow(unsafe_code)]

use super::error::DriverError;
use super::interface::ClusterLaunch;
#[cfg(feature = "cust")]
use super::interface::Launched;
#[cfg(feature = "cust")]
use super::raw::LaunchKernelEx;
use super::raw::{Functions, LaunchAttribute, LaunchConfig, MaxActiveClusters};
use core::ffi::{c_char, c_int, c_void};
use std::string::String;

fn checked(call: &'static str, code: c_int) -> Result<(), DriverError> {
    if code == 0 { Ok(()) } else { Err(DriverError { call, code }) }
}

pub(super) fn current_device(functions: &Functions) -> Result<c_int, DriverError> {
    let mut device = 0;
    // SAFETY: `device` can be written to.
    checked("cuCtxGetDevice", unsafe { (functions.cuCtxGetDevice)(&raw mut device) })?;
    Ok(device)
}

pub(super) fn device_name(functions: &Functions, device: c_int) -> Result<String, DriverError> {
    let mut name = [0u8; 256];
    // SAFETY: `name` has the length that is passed.
    let code = unsafe { (functions.cuDeviceGetName)(name.as_mut_ptr().cast::<c_char>(), 256, device) };
    checked("cuDeviceGetName", code)?;
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..length]).into_owned())
}

pub(super) fn device_attribute(functions: &Functions, device: c_int, attribute: c_int) -> Result<c_int, DriverError> {
    let mut value = 0;
    // SAFETY: `value` can be written to; a wrong attribute or device is an error of the driver.
    let code = unsafe { (functions.cuDeviceGetAttribute)(&raw mut value, attribute, device) };
    checked("cuDeviceGetAttribute", code)?;
    Ok(value)
}

/// # Safety
///
/// `function` is a function handle that is loaded.
pub(super) unsafe fn function_attribute(
    functions: &Functions,
    function: *mut c_void,
    attribute: c_int,
) -> Result<c_int, DriverError> {
    let mut value = 0;
    // SAFETY: `value` can be written to; the caller vouches for the function.
    let code = unsafe { (functions.cuFuncGetAttribute)(&raw mut value, attribute, function) };
    checked("cuFuncGetAttribute", code)?;
    Ok(value)
}

/// # Safety
///
/// `function` is a function handle that is loaded.
pub(super) unsafe fn set_function_attribute(
    functions: &Functions,
    function: *mut c_void,
    attribute: c_int,
    value: c_int,
) -> Result<(), DriverError> {
    // SAFETY: the caller vouches for the function.
    checked("cuFuncSetAttribute", unsafe { (functions.cuFuncSetAttribute)(function, attribute, value) })
}

/// # Safety
///
/// `function` is a function handle that is loaded.
pub(super) unsafe fn max_active_blocks_per_sm(
    functions: &Functions,
    function: *mut c_void,
    threads: c_int,
    dynamic_smem: usize,
) -> Result<c_int, DriverError> {
    let mut blocks = 0;
    // SAFETY: `blocks` can be written to; the caller vouches for the function.
    let code = unsafe {
        (functions.cuOccupancyMaxActiveBlocksPerMultiprocessor)(&raw mut blocks, function, threads, dynamic_smem)
    };
    checked("cuOccupancyMaxActiveBlocksPerMultiprocessor", code)?;
    Ok(blocks)
}

/// # Safety
///
/// `function` is a function handle that is loaded.
pub(super) unsafe fn max_active_clusters(
    call: Option<MaxActiveClusters>,
    function: *mut c_void,
    launch: &ClusterLaunch,
) -> Result<c_int, DriverError> {
    const CALL: &str = "cuOccupancyMaxActiveClusters";
    let call = call.ok_or(DriverError { call: CALL, code: DriverError::NOT_FOUND })?;
    let attribute = LaunchAttribute::cluster(launch.cluster);
    let config = config(launch, core::ptr::null_mut(), &attribute);
    let mut clusters = 0;
    // SAFETY: `config` and its one attribute outlive the call; the caller vouches for the function.
    checked(CALL, unsafe { call(&raw mut clusters, function, &raw const config) })?;
    Ok(clusters)
}

/// # Safety
///
/// As of `cuLaunchKernel`: `function` and `stream` are loaded, and `arguments` point at what the kernel takes.
#[cfg(feature = "cust")]
#[inline]
pub(super) unsafe fn launch(
    functions: &Functions,
    function: *mut c_void,
    stream: *mut c_void,
    launch: &Launched,
    arguments: &[*mut c_void],
) -> Result<(), DriverError> {
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (launch.grid, launch.block);
    let arguments = arguments.as_ptr().cast_mut();
    // SAFETY: the driver only reads the list of arguments; the caller vouches for the rest.
    let code = unsafe {
        (functions.cuLaunchKernel)(
            function,
            grid_x,
            grid_y,
            grid_z,
            block_x,
            block_y,
            block_z,
            launch.dynamic_smem,
            stream,
            arguments,
            core::ptr::null_mut(),
        )
    };
    checked("cuLaunchKernel", code)
}

/// Launches with clusters, which `cuLaunchKernel` cannot.
///
/// # Safety
///
/// As of `cuLaunchKernelEx`: `function` and `stream` are loaded, and `arguments` point at what the kernel takes.
#[cfg(feature = "cust")]
#[inline(never)]
pub(super) unsafe fn launch_clusters(
    call: Option<LaunchKernelEx>,
    function: *mut c_void,
    stream: *mut c_void,
    launch: &ClusterLaunch,
    arguments: &[*mut c_void],
) -> Result<(), DriverError> {
    const CALL: &str = "cuLaunchKernelEx";
    let call = call.ok_or(DriverError { call: CALL, code: DriverError::NOT_FOUND })?;
    let attribute = LaunchAttribute::cluster(launch.cluster);
    let config = config(launch, stream, &attribute);
    // SAFETY: `config` and its one attribute outlive the call, and the driver only reads the list of arguments; the
    // caller vouches for the rest.
    let code = unsafe { call(&raw const config, function, arguments.as_ptr().cast_mut(), core::ptr::null_mut()) };
    checked(CALL, code)
}

fn config(launch: &ClusterLaunch, stream: *mut c_void, attribute: &LaunchAttribute) -> LaunchConfig {
    LaunchConfig {
        grid: launch.grid,
        block: launch.block,
        dynamic_smem: launch.dynamic_smem,
        stream,
        attributes: attribute,
        attribute_count: 1,
    }
}

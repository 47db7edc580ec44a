//! What the guard's own layer lacks of the driver: modules, memory, launches.

#![allow(unsafe_code)]

use crate::Result;
use libloading::Library;
use occ_runtime::driver::{Cuda, Function};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ptr;

/// The driver with a context on one device.
pub(crate) struct Machine {
    functions: Library,
    /// `cuLaunchKernel`, looked up once because it is timed.
    launch_kernel: LaunchKernel,
    pub(crate) cuda: Cuda,
    pub(crate) device: i32,
}

type LaunchKernel = unsafe extern "C" fn(
    *mut c_void,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    c_uint,
    *mut c_void,
    *mut *mut c_void,
    *mut *mut c_void,
) -> c_int;

/// A failed call of the driver with its code.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    call: &'static str,
    pub(crate) code: i32,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` returned {}", self.call, self.code)
    }
}

impl std::error::Error for Failed {}

/// Calls a function of the driver by name. Its result is a plain `c_int`.
macro_rules! call {
    ($machine:expr, $name:ident($($argument:expr => $ty:ty),* $(,)?)) => {{
        // SAFETY: the function of that name has these types in `cuda.h`, and the arguments are valid where they are made.
        let code = unsafe {
            match $machine.functions.get::<unsafe extern "C" fn($($ty),*) -> c_int>(stringify!($name).as_bytes()) {
                Ok(function) => function($($argument),*),
                // CUDA_ERROR_NOT_FOUND
                Err(_) => 500,
            }
        };
        if code == 0 { Ok(()) } else { Err(Failed { call: stringify!($name), code }) }
    }};
}

impl Machine {
    /// Opens a device.
    pub(crate) fn open(device: i32) -> Result<Machine> {
        let names = ["libcuda.so.1", "libcuda.so"];
        // SAFETY: loading the driver runs its initialisation.
        let library = names.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
        let library = library.ok_or(
            "there is no NVIDIA driver here: `libcuda.so.1` is not found. Run this on a machine with a GPU; `--compare \
             REPORT` needs none",
        )?;
        let cuda = Cuda::loaded()?;
        // SAFETY: the driver's function of that name has this type.
        let launch_kernel = unsafe { *library.get::<LaunchKernel>(b"cuLaunchKernel")? };
        let machine = Machine { functions: library, launch_kernel, cuda, device };
        call!(machine, cuInit(0 => c_uint)).map_err(|failed| format!("{failed}: is there a GPU?"))?;
        let mut handle = 0;
        call!(machine, cuDeviceGet(&raw mut handle => *mut c_int, device => c_int))?;
        let mut context = ptr::null_mut::<c_void>();
        call!(machine, cuDevicePrimaryCtxRetain(&raw mut context => *mut *mut c_void, handle => c_int))?;
        call!(machine, cuCtxSetCurrent(context => *mut c_void))?;
        Ok(machine)
    }

    pub(crate) fn driver_version(&self) -> i32 {
        let mut version = 0;
        let _ = call!(self, cuDriverGetVersion(&raw mut version => *mut c_int));
        version
    }

    /// Returns an attribute of the device by its number.
    pub(crate) fn device_attribute(&self, attribute: i32) -> Option<i32> {
        let mut value = 0;
        let place = &raw mut value;
        call!(self, cuDeviceGetAttribute(place => *mut c_int, attribute => c_int, self.device => c_int)).ok()?;
        Some(value)
    }

    /// Returns an attribute of a function by its number.
    pub(crate) fn function_attribute(&self, function: Function, attribute: i32) -> Option<i32> {
        let mut value = 0;
        let place = &raw mut value;
        let handle = function.to_raw();
        call!(self, cuFuncGetAttribute(place => *mut c_int, attribute => c_int, handle => *mut c_void)).ok()?;
        Some(value)
    }

    /// Sets an attribute of a function by its number.
    pub(crate) fn set_function_attribute(&self, function: Function, attribute: i32, value: i32) -> Option<()> {
        let handle = function.to_raw();
        call!(self, cuFuncSetAttribute(handle => *mut c_void, attribute => c_int, value => c_int)).ok()
    }

    pub(crate) fn load(&self, image: &[u8]) -> std::result::Result<*mut c_void, Failed> {
        let mut module = ptr::null_mut();
        let place = &raw mut module;
        call!(self, cuModuleLoadData(place => *mut *mut c_void, image.as_ptr().cast() => *const c_void))?;
        Ok(module)
    }

    pub(crate) fn function(&self, module: *mut c_void, name: &str) -> Option<Function> {
        let name = CString::new(name).ok()?;
        let mut function = ptr::null_mut::<c_void>();
        let place = &raw mut function;
        call!(self, cuModuleGetFunction(place => *mut *mut c_void, module => *mut c_void, name.as_ptr() => *const c_char))
            .ok()?;
        // SAFETY: no module is ever unloaded here.
        Some(unsafe { Function::from_raw(function) })
    }

    /// Returns the dynamic shared memory with which this many blocks still fit.
    pub(crate) fn available_dynamic_smem(&self, function: Function, blocks: i32, threads: i32) -> Option<u64> {
        let mut bytes = 0usize;
        let (place, handle) = (&raw mut bytes, function.to_raw());
        call!(self, cuOccupancyAvailableDynamicSMemPerBlock(
            place => *mut usize, handle => *mut c_void, blocks => c_int, threads => c_int,
        ))
        .ok()?;
        Some(bytes as u64)
    }

    /// Launches a probe of `n` counted threads, waits for it, and returns whether it counted them correctly, or the code.
    pub(crate) fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_smem: u32,
    ) -> std::result::Result<bool, i32> {
        const COUNTED: usize = 1 << 12;
        let run = || {
            let mut memory = 0u64;
            call!(self, cuMemAlloc_v2(&raw mut memory => *mut u64, COUNTED * 4 => usize))?;
            call!(self, cuMemsetD8_v2(memory => u64, 0 => u8, COUNTED * 4 => usize))?;
            let mut n = COUNTED as u32;
            let mut arguments = [(&raw mut memory).cast::<c_void>(), (&raw mut n).cast::<c_void>()];
            let launched = self.launch_only(function, grid, block, dynamic_smem, &mut arguments);
            let waited = launched.and_then(|()| call!(self, cuCtxSynchronize()));
            let mut counted = vec![0u32; COUNTED];
            let copied = waited.and_then(|()| {
                let to = counted.as_mut_ptr().cast::<c_void>();
                call!(self, cuMemcpyDtoH_v2(to => *mut c_void, memory => u64, COUNTED * 4 => usize))
            });
            let _ = call!(self, cuMemFree_v2(memory => u64));
            copied?;
            let threads = grid.into_iter().chain(block).map(u64::from).product::<u64>();
            let expected = |at: usize| u32::from((at as u64) < threads);
            Ok(counted.iter().enumerate().all(|(at, count)| *count == expected(at)))
        };
        run().map_err(|failed: Failed| failed.code)
    }

    /// Launches without waiting.
    pub(crate) fn launch_only(
        &self,
        function: Function,
        [grid_x, grid_y, grid_z]: [u32; 3],
        [block_x, block_y, block_z]: [u32; 3],
        dynamic_smem: u32,
        arguments: &mut [*mut c_void],
    ) -> std::result::Result<(), Failed> {
        let (handle, arguments) = (function.to_raw(), arguments.as_mut_ptr());
        // SAFETY: the function is loaded, and a probe takes these arguments, which outlive the launch.
        let code = unsafe {
            (self.launch_kernel)(
                handle,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                dynamic_smem,
                ptr::null_mut(),
                arguments,
                ptr::null_mut(),
            )
        };
        if code == 0 { Ok(()) } else { Err(Failed { call: "cuLaunchKernel", code }) }
    }
}

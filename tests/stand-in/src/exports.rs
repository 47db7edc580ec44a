//! The driver's C functions.

use crate::codes::{INVALID_DEVICE, INVALID_VALUE, NO_DEVICE, NOT_FOUND, NOT_SUPPORTED, SUCCESS, texts};
use crate::contexts;
use crate::kernels::Launch;
use crate::launch::{LaunchConfig, launch};
use crate::memory::{self, DevicePtr, allocate, copy, fill, free};
use crate::modules;
use crate::state::{StandIn, State, stand_in};
use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};
use std::ptr;

/// A handle of the driver.
pub(crate) type Handle = *mut c_void;

/// Declares the functions. Each is counted and follows its script first. Those that are only named return 801, so that a
/// program can be linked with them.
macro_rules! exports {
    (
        $(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*
        unsupported: $($unsupported:ident)*
    ) => {
        /// A driver function.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy)]
        pub(crate) enum Call {
            cuLaunchKernel,
            $($name,)*
            $($unsupported,)*
        }

        /// The names of all driver functions.
        pub const NAMES: &[&str] =
            &["cuLaunchKernel", $(stringify!($name),)* $(stringify!($unsupported)),*];

        $(
            /// The function of that name in `cuda.h`.
            ///
            /// # Safety
            ///
            /// As of the driver's.
            #[unsafe(no_mangle)]
            #[allow(clippy::not_unsafe_ptr_arg_deref, unused_unsafe, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> c_int {
                match stand_in().enter(Call::$name) {
                    SUCCESS => $body,
                    code => code,
                }
            }
        )*

        $(
            /// The function of that name in `cuda.h`; it ignores its arguments.
            #[unsafe(no_mangle)]
            pub extern "C" fn $unsupported() -> c_int {
                match stand_in().enter(Call::$unsupported) {
                    SUCCESS => NOT_SUPPORTED,
                    code => code,
                }
            }
        )*

        fn address(name: &str) -> Option<*mut c_void> {
            match name {
                "cuLaunchKernel" => Some(cuLaunchKernel as *const () as *mut c_void),
                $(stringify!($name) => Some($name as *const () as *mut c_void),)*
                $(stringify!($unsupported) => Some($unsupported as *const () as *mut c_void),)*
                _ => None,
            }
        }
    };
}

fn state() -> std::sync::MutexGuard<'static, State> {
    stand_in().lock()
}

/// Writes the result of a function to where the caller wants it.
unsafe fn give<T>(to: *mut T, value: Result<T, c_int>) -> c_int {
    match value {
        Ok(_) if to.is_null() => INVALID_VALUE,
        Ok(value) => {
            // SAFETY: the caller of the driver's function vouches for the place.
            unsafe { to.write(value) };
            SUCCESS
        }
        Err(code) => code,
    }
}

fn device(ordinal: c_int) -> Result<usize, c_int> {
    usize::try_from(ordinal).ok().filter(|device| *device < state().devices.len()).ok_or(INVALID_DEVICE)
}

fn name_of<'a>(name: *const c_char) -> &'a str {
    // SAFETY: names end with a 0.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or_default()
}

/// Returns a new handle of an object that has no other state.
unsafe fn give_handle(to: *mut Handle) -> c_int {
    let handle = state().handle();
    // SAFETY: the caller's.
    unsafe { give(to, Ok(ptr::without_provenance_mut(handle))) }
}

/// Returns the address of a driver function. Like the driver, it takes names without their version.
unsafe fn find(name: *const c_char, to: *mut *mut c_void) -> c_int {
    let name = name_of(name);
    let is_forgotten = state().forgotten.contains(name);
    let found = address(name).or_else(|| address(&format!("{name}_v2"))).filter(|_| !is_forgotten);
    // SAFETY: the caller of the driver's function vouches for the place.
    unsafe { give(to, found.ok_or(NOT_FOUND)) }
}

/// Writes a text about a code, or null for an unknown code, which returns 1 as from the driver.
unsafe fn text(to: *mut *const c_char, text: Option<&'static CStr>) -> c_int {
    let code = if text.is_some() { SUCCESS } else { INVALID_VALUE };
    // SAFETY: the caller of the driver's function vouches for the place.
    unsafe { to.write(text.map_or(ptr::null(), CStr::as_ptr)) };
    code
}

/// `cuLaunchKernel`, the only function that can be scripted to do nothing at all.
///
/// # Safety
///
/// As of the driver's.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)]
// A driver's function is called, whoever calls it.
#[inline(never)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    dynamic_smem: c_uint,
    _stream: Handle,
    arguments: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> c_int {
    let stand_in = stand_in();
    if stand_in.does_nothing() {
        return SUCCESS;
    }
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    // SAFETY: the caller's.
    unsafe { launch_kernel(stand_in, function, grid, block, dynamic_smem, arguments) }
}

#[inline(never)]
unsafe fn launch_kernel(
    stand_in: &StandIn,
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_smem: u32,
    arguments: *mut *mut c_void,
) -> c_int {
    match stand_in.enter(Call::cuLaunchKernel) {
        // SAFETY: the caller's.
        SUCCESS => unsafe { launch(stand_in, function, Launch::asked(grid, block, dynamic_smem), arguments) },
        code => code,
    }
}

exports! {
    fn cuInit(_flags: c_uint) { if state().devices.is_empty() { NO_DEVICE } else { SUCCESS } }
    fn cuDriverGetVersion(version: *mut c_int) { unsafe { give(version, Ok(13_000)) } }
    fn cuDeviceGetCount(count: *mut c_int) { unsafe { give(count, Ok(state().devices.len() as c_int)) } }
    fn cuDeviceGet(to: *mut c_int, ordinal: c_int) { unsafe { give(to, device(ordinal).map(|_| ordinal)) } }
    fn cuDeviceGetName(to: *mut c_char, length: c_int, ordinal: c_int) {
        let Ok(at) = device(ordinal) else { return INVALID_DEVICE };
        let name = state().devices[at].name.clone();
        let fits = name.len().min((length - 1).unsigned_abs() as usize);
        unsafe {
            ptr::copy_nonoverlapping(name.as_ptr().cast(), to, fits);
            to.add(fits).write(0);
        }
        SUCCESS
    }
    fn cuDeviceGetUuid(to: *mut [u8; 16], _device: c_int) { unsafe { give(to, Ok([0; 16])) } }
    fn cuDeviceGetUuid_v2(to: *mut [u8; 16], _device: c_int) { unsafe { give(to, Ok([0; 16])) } }
    fn cuDeviceTotalMem_v2(to: *mut usize, _device: c_int) { unsafe { give(to, Ok(memory::TOTAL)) } }
    fn cuDeviceGetAttribute(to: *mut c_int, attribute: c_int, ordinal: c_int) {
        let value = device(ordinal).and_then(|at| {
            state().devices[at].attributes.get(&attribute).copied().ok_or(INVALID_VALUE)
        });
        unsafe { give(to, value) }
    }
    fn cuDevicePrimaryCtxRetain(to: *mut Handle, ordinal: c_int) {
        unsafe { give(to, device(ordinal).map(contexts::primary)) }
    }
    fn cuDevicePrimaryCtxRelease_v2(_device: c_int) { SUCCESS }
    fn cuDevicePrimaryCtxReset_v2(_device: c_int) { SUCCESS }
    fn cuDevicePrimaryCtxSetFlags_v2(_device: c_int, _flags: c_uint) { SUCCESS }
    fn cuCtxCreate_v2(to: *mut Handle, _flags: c_uint, ordinal: c_int) {
        unsafe { give(to, device(ordinal).map(contexts::create)) }
    }
    fn cuCtxCreate_v3(to: *mut Handle, _parameters: *mut c_void, _count: c_int, _flags: c_uint, ordinal: c_int) {
        unsafe { give(to, device(ordinal).map(contexts::create)) }
    }
    fn cuCtxCreate_v4(to: *mut Handle, _parameters: *mut c_void, _flags: c_uint, ordinal: c_int) {
        unsafe { give(to, device(ordinal).map(contexts::create)) }
    }
    fn cuCtxDestroy_v2(context: Handle) { contexts::destroy(context) }
    fn cuCtxPushCurrent_v2(context: Handle) { contexts::push(context) }
    fn cuCtxPopCurrent_v2(to: *mut Handle) {
        match contexts::pop() {
            // Whoever does not want to know says so.
            Ok(_) if to.is_null() => SUCCESS,
            popped => unsafe { give(to, popped) },
        }
    }
    fn cuCtxGetCurrent(to: *mut Handle) { unsafe { give(to, Ok(contexts::current())) } }
    fn cuCtxSetCurrent(context: Handle) { contexts::set_current(context) }
    fn cuCtxGetDevice(to: *mut c_int) { unsafe { give(to, contexts::current_device().map(|at| at as c_int)) } }
    fn cuCtxGetApiVersion(_context: Handle, to: *mut c_uint) { unsafe { give(to, Ok(3_020)) } }
    fn cuCtxSynchronize() { SUCCESS }
    fn cuCtxSetFlags(_flags: c_uint) { SUCCESS }
    fn cuCtxGetFlags(to: *mut c_uint) { unsafe { give(to, Ok(0)) } }
    fn cuCtxGetLimit(to: *mut usize, limit: c_int) {
        let value = state().limits.get(&limit).copied().unwrap_or(0);
        unsafe { give(to, Ok(value)) }
    }
    fn cuCtxSetLimit(limit: c_int, value: usize) {
        state().limits.insert(limit, value);
        SUCCESS
    }
    fn cuCtxGetCacheConfig(to: *mut c_int) { unsafe { give(to, Ok(0)) } }
    fn cuCtxSetCacheConfig(_config: c_int) { SUCCESS }
    fn cuCtxGetSharedMemConfig(to: *mut c_int) { unsafe { give(to, Ok(1)) } }
    fn cuCtxSetSharedMemConfig(_config: c_int) { SUCCESS }
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        unsafe { give(least, Ok(0)) | give(greatest, Ok(-5)) }
    }
    fn cuModuleLoad(to: *mut Handle, path: *const c_char) { unsafe { give(to, modules::load_file(name_of(path))) } }
    fn cuModuleLoadData(to: *mut Handle, image: *const c_void) { unsafe { give(to, modules::load(image)) } }
    fn cuModuleLoadDataEx(
        to: *mut Handle,
        image: *const c_void,
        _count: c_uint,
        _options: *mut c_int,
        _values: *mut *mut c_void,
    ) { unsafe { give(to, modules::load(image)) } }
    fn cuModuleLoadFatBinary(to: *mut Handle, image: *const c_void) { unsafe { give(to, modules::load(image)) } }
    fn cuModuleUnload(module: Handle) { modules::unload(module) }
    fn cuModuleGetFunction(to: *mut Handle, module: Handle, name: *const c_char) {
        unsafe { give(to, modules::get_function(module, name_of(name))) }
    }
    fn cuModuleGetGlobal_v2(_to: *mut DevicePtr, _bytes: *mut usize, _module: Handle, _name: *const c_char) {
        NOT_FOUND
    }
    fn cuFuncGetAttribute(to: *mut c_int, attribute: c_int, function: Handle) {
        unsafe { give(to, modules::attribute(attribute, function)) }
    }
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) {
        modules::set_attribute(function, attribute, value)
    }
    fn cuFuncSetCacheConfig(_function: Handle, _config: c_int) { SUCCESS }
    fn cuFuncSetSharedMemConfig(_function: Handle, _config: c_int) { SUCCESS }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        to: *mut c_int,
        function: Handle,
        threads: c_int,
        dynamic_smem: usize,
    ) { unsafe { give(to, state().blocks_per_sm(modules::place_of(function), threads, dynamic_smem)) } }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        to: *mut c_int,
        function: Handle,
        threads: c_int,
        dynamic_smem: usize,
        _flags: c_uint,
    ) { unsafe { give(to, state().blocks_per_sm(modules::place_of(function), threads, dynamic_smem)) } }
    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int,
        block: *mut c_int,
        function: Handle,
        smem: *const c_void,
        dynamic_smem: usize,
        limit: c_int,
    ) {
        let is_plain = smem.is_null() && limit == 0;
        match state().best_block(modules::place_of(function), dynamic_smem, is_plain) {
            Ok([blocks, threads]) => unsafe { give(grid, Ok(blocks)) | give(block, Ok(threads)) },
            Err(code) => code,
        }
    }
    fn cuOccupancyMaxActiveClusters(to: *mut c_int, function: Handle, config: *const LaunchConfig) {
        let Some(cluster) = (unsafe { (*config).cluster() }) else { return INVALID_VALUE };
        unsafe { give(to, state().active_clusters(modules::place_of(function), cluster)) }
    }
    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: Handle,
        arguments: *mut *mut c_void,
        _extra: *mut *mut c_void,
    ) { unsafe { launch(stand_in(), function, (*config).launch(), arguments) } }
    fn cuStreamCreate(to: *mut Handle, _flags: c_uint) { unsafe { give_handle(to) } }
    fn cuStreamCreateWithPriority(to: *mut Handle, _flags: c_uint, _priority: c_int) { unsafe { give_handle(to) } }
    fn cuStreamDestroy_v2(_stream: Handle) { SUCCESS }
    fn cuStreamSynchronize(_stream: Handle) { SUCCESS }
    fn cuStreamGetFlags(_stream: Handle, flags: *mut c_uint) { unsafe { give(flags, Ok(0)) } }
    fn cuStreamGetPriority(_stream: Handle, priority: *mut c_int) { unsafe { give(priority, Ok(0)) } }
    fn cuStreamWaitEvent(_stream: Handle, _event: Handle, _flags: c_uint) { SUCCESS }
    fn cuStreamIsCapturing(_stream: Handle, to: *mut c_int) { unsafe { give(to, Ok(0)) } }
    fn cuEventCreate(to: *mut Handle, _flags: c_uint) { unsafe { give_handle(to) } }
    fn cuEventDestroy_v2(_event: Handle) { SUCCESS }
    fn cuEventRecord(_event: Handle, _stream: Handle) { SUCCESS }
    fn cuEventQuery(_event: Handle) { SUCCESS }
    fn cuEventSynchronize(_event: Handle) { SUCCESS }
    fn cuEventElapsedTime(to: *mut c_float, _start: Handle, _end: Handle) { unsafe { give(to, Ok(0.0)) } }
    fn cuEventElapsedTime_v2(to: *mut c_float, _start: Handle, _end: Handle) { unsafe { give(to, Ok(0.0)) } }
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        unsafe { give(free, Ok(memory::TOTAL)) | give(total, Ok(memory::TOTAL)) }
    }
    fn cuMemAlloc_v2(to: *mut DevicePtr, bytes: usize) {
        unsafe { give(to, if bytes == 0 { Err(INVALID_VALUE) } else { allocate(bytes) }) }
    }
    fn cuMemAllocAsync(to: *mut DevicePtr, bytes: usize, _stream: Handle) { unsafe { give(to, allocate(bytes)) } }
    fn cuMemAllocManaged(to: *mut DevicePtr, bytes: usize, _flags: c_uint) { unsafe { give(to, allocate(bytes)) } }
    fn cuMemAllocHost_v2(to: *mut DevicePtr, bytes: usize) { unsafe { give(to, allocate(bytes)) } }
    fn cuMemHostAlloc(to: *mut DevicePtr, bytes: usize, _flags: c_uint) { unsafe { give(to, allocate(bytes)) } }
    fn cuMemFree_v2(address: DevicePtr) { free(address) }
    fn cuMemFreeAsync(address: DevicePtr, _stream: Handle) { free(address) }
    fn cuMemFreeHost(address: DevicePtr) { free(address) }
    fn cuMemcpyHtoD_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes, &[to]) } }
    fn cuMemcpyDtoH_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes, &[from]) } }
    fn cuMemcpyDtoD_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes, &[to, from]) } }
    fn cuMemcpyHtoDAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) {
        unsafe { copy(to, from, bytes, &[to]) }
    }
    fn cuMemcpyDtoHAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) {
        unsafe { copy(to, from, bytes, &[from]) }
    }
    fn cuMemcpyDtoDAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) {
        unsafe { copy(to, from, bytes, &[to, from]) }
    }
    fn cuMemsetD8_v2(to: DevicePtr, value: u8, count: usize) { fill(to, value, count) }
    fn cuMemsetD8Async(to: DevicePtr, value: u8, count: usize, _stream: Handle) { fill(to, value, count) }
    fn cuMemsetD16_v2(to: DevicePtr, value: u16, count: usize) { fill(to, value, count) }
    fn cuMemsetD16Async(to: DevicePtr, value: u16, count: usize, _stream: Handle) { fill(to, value, count) }
    fn cuMemsetD32_v2(to: DevicePtr, value: u32, count: usize) { fill(to, value, count) }
    fn cuMemsetD32Async(to: DevicePtr, value: u32, count: usize, _stream: Handle) { fill(to, value, count) }
    fn cuLaunchHostFunc(_stream: Handle, function: unsafe extern "C" fn(*mut c_void), data: *mut c_void) {
        unsafe { function(data) };
        SUCCESS
    }
    fn cuGetErrorString(code: c_int, to: *mut *const c_char) { unsafe { text(to, texts(code).map(|(_, text)| text)) } }
    fn cuGetErrorName(code: c_int, to: *mut *const c_char) { unsafe { text(to, texts(code).map(|(name, _)| name)) } }
    fn cuGetProcAddress(name: *const c_char, to: *mut *mut c_void, _version: c_int, _flags: u64) {
        unsafe { find(name, to) }
    }
    fn cuGetProcAddress_v2(
        name: *const c_char,
        to: *mut *mut c_void,
        _version: c_int,
        _flags: u64,
        _status: *mut c_int,
    ) { unsafe { find(name, to) } }

    unsupported:
    cuArray3DCreate_v2
    cuArray3DGetDescriptor_v2
    cuArrayDestroy
    cuDestroyExternalMemory
    cuDeviceGetDefaultMemPool
    cuDeviceGetMemPool
    cuDeviceSetMemPool
    cuExternalMemoryGetMappedBuffer
    cuGraphAddKernelNode
    cuGraphClone
    cuGraphCreate
    cuGraphDebugDotPrint
    cuGraphDestroy
    cuGraphExecDestroy
    cuGraphGetEdges
    cuGraphGetNodes
    cuGraphInstantiate
    cuGraphInstantiateWithFlags
    cuGraphKernelNodeGetParams
    cuGraphLaunch
    cuGraphNodeGetType
    cuGraphUpload
    cuImportExternalMemory
    cuLaunchCooperativeKernel
    cuLinkAddData_v2
    cuLinkComplete
    cuLinkCreate_v2
    cuLinkDestroy
    cuMemAdvise
    cuMemAdvise_v2
    cuMemAllocFromPoolAsync
    cuMemAllocPitch
    cuMemPoolCreate
    cuMemPoolDestroy
    cuMemPoolGetAttribute
    cuMemPoolSetAttribute
    cuMemPoolTrimTo
    cuMemPrefetchAsync
    cuMemPrefetchAsync_v2
    cuMemcpy2D_v2
    cuMemcpyAtoH_v2
    cuMemcpyHtoA_v2
    cuMemcpyPeerAsync
    cuOccupancyAvailableDynamicSMemPerBlock
    cuOccupancyMaxPotentialBlockSizeWithFlags
    cuOccupancyMaxPotentialClusterSize
    cuProfilerStart
    cuProfilerStop
    cuStreamAttachMemAsync
    cuStreamBeginCapture_v2
    cuStreamEndCapture
    cuSurfObjectCreate
    cuSurfObjectDestroy
    cuSurfObjectGetResourceDesc
    cuTexObjectCreate
    cuTexObjectDestroy
    cuTexObjectGetResourceDesc
    cuTexObjectGetResourceViewDesc
}

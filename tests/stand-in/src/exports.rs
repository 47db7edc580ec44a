//! The driver's C functions.

use crate::kernels::Launch;
use crate::state::{Function, Module, StandIn, State, stand_in};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};
use std::ptr;

type Handle = *mut c_void;
type DevicePtr = u64;

const SUCCESS: c_int = 0;
const INVALID_VALUE: c_int = 1;
const INVALID_DEVICE: c_int = 101;
const INVALID_CONTEXT: c_int = 201;
const INVALID_HANDLE: c_int = 400;
const NOT_FOUND: c_int = 500;
const OUT_OF_RESOURCES: c_int = 701;
const NOT_SUPPORTED: c_int = 801;
const INVALID_CLUSTER_SIZE: c_int = 912;

thread_local! {
    /// The current context: the ordinal of its device, and 1; 0 for none.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Declares the functions: each is counted, and fails or is slow as it was told, before it does anything.
macro_rules! exports {
    ($(fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {
        /// The driver functions there are.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(
            /// The function of that name in `cuda.h`.
            ///
            /// # Safety
            ///
            /// As of the driver's.
            #[unsafe(no_mangle)]
            #[allow(clippy::not_unsafe_ptr_arg_deref, unused_unsafe, clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> c_int {
                match enter(stringify!($name)) {
                    SUCCESS => $body,
                    code => code,
                }
            }
        )*

        fn address(name: &str) -> Option<*mut c_void> {
            match name {
                $(stringify!($name) => Some($name as *const () as *mut c_void),)*
                _ => None,
            }
        }
    };
}

/// Counts a call, and says what it is to return.
fn enter(call: &'static str) -> c_int {
    let mut state = stand_in().lock();
    *state.calls.entry(call).or_default() += 1;
    let delay = state.delays.get(call).copied();
    let code = state.failures.get(call).copied().unwrap_or(SUCCESS);
    drop(state);
    if let Some(delay) = delay {
        std::thread::sleep(delay);
    }
    code
}

fn state() -> std::sync::MutexGuard<'static, State> {
    stand_in().lock()
}

/// The current device's ordinal.
fn current() -> Result<usize, c_int> {
    CURRENT.get().checked_sub(1).filter(|device| *device < state().devices.len()).ok_or(INVALID_CONTEXT)
}

/// The result of a function, written to where the caller wants it.
unsafe fn give<T>(to: *mut T, value: Result<T, c_int>) -> c_int {
    match value {
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

/// Handles of functions are numbers that look like addresses.
fn function_handle(place: usize) -> Handle {
    ptr::without_provenance_mut((place + 1) << 6)
}

fn place_of(function: Handle) -> usize {
    (function.addr() >> 6).wrapping_sub(1)
}

fn load(image: *const c_void) -> Result<Handle, c_int> {
    const PREFIX: &[u8] = b"stand-in ";
    let device = current()?;
    let is_text = (0..PREFIX.len()).all(|at| {
        // SAFETY: an image is longer than the prefix, or ends with a 0 before.
        unsafe { *image.cast::<u8>().add(at) == PREFIX[at] }
    });
    let name = if is_text { name_of(image.cast()).trim_start_matches("stand-in ").trim_end() } else { "" };
    let mut state = state();
    let handle = state.handle();
    state.modules.insert(handle, Module { name: name.to_owned(), device, functions: HashMap::new() });
    Ok(ptr::without_provenance_mut(handle))
}

fn get_function(module: Handle, name: &str) -> Result<Handle, c_int> {
    let mut state = state();
    let Some(found) = state.modules.get(&module.addr()) else {
        return Err(INVALID_HANDLE);
    };
    if let Some(place) = found.functions.get(name) {
        return Ok(function_handle(*place));
    }
    let device = found.device;
    let module_name = found.name.clone();
    let model = state.model(&module_name, device, name).ok_or(NOT_FOUND)?;
    let max_dynamic_smem = 49_152 - model.static_smem.cast_signed();
    let name = name.to_owned();
    let function = Function { name: name.clone(), device, model, max_dynamic_smem, carveout: -1, non_portable: 0 };
    let place = state.free.pop().unwrap_or(state.functions.len());
    if place == state.functions.len() {
        state.functions.push(Some(function));
    } else {
        state.functions[place] = Some(function);
    }
    if let Some(module) = state.modules.get_mut(&module.addr()) {
        module.functions.insert(name, place);
    }
    Ok(function_handle(place))
}

fn function_attribute(attribute: c_int, function: &Function, state: &State) -> Result<c_int, c_int> {
    let device = &state.devices[function.device];
    let [major, minor] = device.capability();
    let binary =
        if function.model.binary == 0 { major.saturating_mul(10).saturating_add(minor) } else { function.model.binary };
    let axis = |axis: usize| function.model.required_cluster.map_or(0, |cluster| cluster[axis].cast_signed());
    Ok(match attribute {
        0 => function.model.max_threads.cast_signed(),
        1 => function.model.static_smem.cast_signed(),
        2 | 7 | 15 => 0,
        3 => function.model.local.cast_signed(),
        4 => function.model.registers.cast_signed(),
        5 | 6 => binary.cast_signed(),
        8 => function.max_dynamic_smem,
        9 => function.carveout,
        10 => c_int::from(function.model.required_cluster.is_some()),
        11..=13 => axis((attribute - 11).unsigned_abs() as usize),
        14 => function.non_portable,
        _ => return Err(INVALID_VALUE),
    })
}

fn set_function_attribute(place: usize, attribute: c_int, value: c_int) -> c_int {
    let mut state = state();
    let Some(Some(function)) = state.functions.get(place) else {
        return INVALID_HANDLE;
    };
    let optin = state.devices[function.device].attribute(97);
    let most = optin - function.model.static_smem.cast_signed();
    if attribute == 8 {
        state.raised.push(value);
    }
    let Some(Some(function)) = state.functions.get_mut(place) else {
        return INVALID_HANDLE;
    };
    match attribute {
        8 if (0..=most).contains(&value) => function.max_dynamic_smem = value,
        9 if (-1..=100).contains(&value) => function.carveout = value,
        14 => function.non_portable = value,
        _ => return INVALID_VALUE,
    }
    SUCCESS
}

/// A launch as a driver makes it: refused where a driver refuses it.
unsafe fn launch(stand_in: &StandIn, function: Handle, mut launch: Launch, arguments: *mut *mut c_void) -> c_int {
    let mut state = stand_in.lock();
    let place = place_of(function);
    let Some(Some(function)) = state.functions.get(place).cloned() else {
        return INVALID_HANDLE;
    };
    let device = &state.devices[function.device];
    let limit = |attribute| device.attribute(attribute).unsigned_abs();
    let fits = |axes: [u32; 3], first| (0..3).all(|at| (1..=limit(first + at as c_int)).contains(&axes[at]));
    let threads = launch.block.into_iter().fold(1u32, u32::saturating_mul);
    if !fits(launch.grid, 5) || !fits(launch.block, 2) || threads > limit(1) {
        return INVALID_VALUE;
    }
    if i64::from(launch.dynamic_smem) > i64::from(function.max_dynamic_smem) {
        return INVALID_VALUE;
    }
    let cluster = launch.cluster.or(function.model.required_cluster);
    if let Some(cluster) = cluster
        && (limit(120) == 0 || (0..3).any(|at| cluster[at] == 0 || !launch.grid[at].is_multiple_of(cluster[at])))
    {
        return INVALID_CLUSTER_SIZE;
    }
    if threads > function.model.max_threads {
        return INVALID_VALUE;
    }
    // A lie about the occupancy is no lie about what runs.
    let lie = state.lie.take();
    let blocks = state.blocks_per_sm(place, threads.cast_signed(), launch.dynamic_smem as usize);
    state.lie = lie;
    match blocks {
        Ok(1..) => {}
        Ok(_) => return OUT_OF_RESOURCES,
        Err(code) => return code,
    }
    launch.kernel.clone_from(&function.name);
    launch.max_dynamic_smem = function.max_dynamic_smem;
    state.launches.push(launch.clone());
    drop(state);
    if let Some(emulation) = function.model.emulation {
        // SAFETY: the caller of the driver's function vouches for the arguments.
        unsafe { emulation(&launch, arguments) };
    }
    SUCCESS
}

fn allocate(bytes: usize) -> DevicePtr {
    let memory = vec![0u64; bytes.div_ceil(8).max(1)].into_boxed_slice();
    let address = memory.as_ptr().expose_provenance();
    state().allocations.insert(address, memory);
    address as DevicePtr
}

fn free(address: DevicePtr) -> c_int {
    if state().allocations.remove(&(address as usize)).is_some() { SUCCESS } else { INVALID_VALUE }
}

/// Copies memory of the host or the device, which is the same.
unsafe fn copy(to: usize, from: usize, bytes: usize) -> c_int {
    // SAFETY: the caller of the driver's function vouches for both.
    unsafe {
        ptr::copy(ptr::with_exposed_provenance::<u8>(from), ptr::with_exposed_provenance_mut::<u8>(to), bytes);
    }
    SUCCESS
}

unsafe fn find(name: *const c_char, to: *mut *mut c_void) -> c_int {
    let name = name_of(name);
    let found = if state().forgotten.contains(name) { None } else { address(name) };
    // SAFETY: the caller of the driver's function vouches for the place.
    unsafe { give(to, found.ok_or(NOT_FOUND)) }
}

/// `CUlaunchConfig` of `cuda.h`.
#[repr(C)]
pub struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_smem: c_uint,
    stream: Handle,
    attributes: *const [c_uint; 18],
    attribute_count: c_uint,
}

impl LaunchConfig {
    /// The cluster among its attributes (`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`, 4).
    unsafe fn cluster(&self) -> Option<[u32; 3]> {
        if self.attribute_count == 0 {
            return None;
        }
        // SAFETY: there are so many attributes of 72 bytes: an identifier, 4 bytes unused, and a value.
        let attributes = unsafe { std::slice::from_raw_parts(self.attributes, self.attribute_count as usize) };
        attributes
            .iter()
            .find(|attribute| attribute[0] == 4)
            .map(|attribute| [attribute[2], attribute[3], attribute[4]])
    }
}

/// `cuLaunchKernel`, which alone can be told to do nothing at all.
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
    match enter("cuLaunchKernel") {
        SUCCESS => {
            let kernel = String::new();
            let made = Launch { kernel, grid, block, cluster: None, dynamic_smem, max_dynamic_smem: 0 };
            // SAFETY: the caller's.
            unsafe { launch(stand_in, function, made, arguments) }
        }
        code => code,
    }
}

exports! {
    fn cuInit(_flags: c_uint) { SUCCESS }
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
    fn cuDeviceTotalMem_v2(to: *mut usize, _device: c_int) { unsafe { give(to, Ok(16 << 30)) } }
    fn cuDeviceGetAttribute(to: *mut c_int, attribute: c_int, ordinal: c_int) {
        let value = device(ordinal).and_then(|at| {
            state().devices[at].attributes.get(&attribute).copied().ok_or(INVALID_VALUE)
        });
        unsafe { give(to, value) }
    }
    fn cuDevicePrimaryCtxRetain(to: *mut Handle, ordinal: c_int) {
        unsafe { give(to, device(ordinal).map(|at| ptr::without_provenance_mut(at + 1))) }
    }
    fn cuDevicePrimaryCtxRelease_v2(_device: c_int) { SUCCESS }
    fn cuDevicePrimaryCtxReset_v2(_device: c_int) { SUCCESS }
    fn cuDevicePrimaryCtxSetFlags_v2(_device: c_int, _flags: c_uint) { SUCCESS }
    fn cuCtxGetCurrent(to: *mut Handle) { unsafe { give(to, Ok(ptr::without_provenance_mut(CURRENT.get()))) } }
    fn cuCtxSetCurrent(context: Handle) {
        CURRENT.set(context.addr());
        SUCCESS
    }
    fn cuCtxGetDevice(to: *mut c_int) { unsafe { give(to, current().map(|at| at as c_int)) } }
    fn cuCtxGetApiVersion(_context: Handle, to: *mut c_uint) { unsafe { give(to, Ok(3_020)) } }
    fn cuCtxSynchronize() { SUCCESS }
    fn cuCtxSetFlags(_flags: c_uint) { SUCCESS }
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        unsafe { give(least, Ok(0)) | give(greatest, Ok(-5)) }
    }
    fn cuModuleLoadData(to: *mut Handle, image: *const c_void) { unsafe { give(to, load(image)) } }
    fn cuModuleLoadDataEx(
        to: *mut Handle,
        image: *const c_void,
        _count: c_uint,
        _options: *mut c_int,
        _values: *mut *mut c_void,
    ) { unsafe { give(to, load(image)) } }
    fn cuModuleUnload(module: Handle) {
        let mut state = state();
        let Some(module) = state.modules.remove(&module.addr()) else { return INVALID_HANDLE };
        for place in module.functions.into_values() {
            state.functions[place] = None;
            state.free.push(place);
        }
        SUCCESS
    }
    fn cuModuleGetFunction(to: *mut Handle, module: Handle, name: *const c_char) {
        unsafe { give(to, get_function(module, name_of(name))) }
    }
    fn cuModuleGetGlobal_v2(_to: *mut DevicePtr, _bytes: *mut usize, _module: Handle, _name: *const c_char) {
        NOT_FOUND
    }
    fn cuFuncGetAttribute(to: *mut c_int, attribute: c_int, function: Handle) {
        let state = state();
        let value = match state.functions.get(place_of(function)) {
            Some(Some(function)) => function_attribute(attribute, function, &state),
            _ => Err(INVALID_HANDLE),
        };
        unsafe { give(to, value) }
    }
    fn cuFuncSetAttribute(function: Handle, attribute: c_int, value: c_int) {
        set_function_attribute(place_of(function), attribute, value)
    }
    fn cuFuncSetCacheConfig(_function: Handle, _config: c_int) { SUCCESS }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        to: *mut c_int,
        function: Handle,
        threads: c_int,
        dynamic_smem: usize,
    ) { unsafe { give(to, state().blocks_per_sm(place_of(function), threads, dynamic_smem)) } }
    fn cuOccupancyMaxActiveClusters(to: *mut c_int, function: Handle, config: *const LaunchConfig) {
        let state = state();
        let Some(Some(function)) = state.functions.get(place_of(function)) else { return INVALID_HANDLE };
        let Some(cluster) = (unsafe { (*config).cluster() }) else { return INVALID_VALUE };
        let blocks = cluster.into_iter().fold(1, u32::saturating_mul);
        let known = state.devices[function.device].active_clusters.get(&blocks).copied();
        unsafe { give(to, known.map(u32::cast_signed).ok_or(INVALID_CLUSTER_SIZE)) }
    }
    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: Handle,
        arguments: *mut *mut c_void,
        _extra: *mut *mut c_void,
    ) {
        let config = unsafe { &*config };
        let made = Launch {
            kernel: String::new(),
            grid: config.grid,
            block: config.block,
            cluster: unsafe { config.cluster() },
            dynamic_smem: config.dynamic_smem,
            max_dynamic_smem: 0,
        };
        unsafe { launch(stand_in(), function, made, arguments) }
    }
    fn cuStreamCreate(to: *mut Handle, _flags: c_uint) {
        let handle = state().handle();
        unsafe { give(to, Ok(ptr::without_provenance_mut(handle))) }
    }
    fn cuStreamCreateWithPriority(to: *mut Handle, _flags: c_uint, _priority: c_int) {
        let handle = state().handle();
        unsafe { give(to, Ok(ptr::without_provenance_mut(handle))) }
    }
    fn cuStreamDestroy_v2(_stream: Handle) { SUCCESS }
    fn cuStreamSynchronize(_stream: Handle) { SUCCESS }
    fn cuStreamGetFlags(_stream: Handle, flags: *mut c_uint) { unsafe { give(flags, Ok(0)) } }
    fn cuStreamGetPriority(_stream: Handle, priority: *mut c_int) { unsafe { give(priority, Ok(0)) } }
    fn cuStreamWaitEvent(_stream: Handle, _event: Handle, _flags: c_uint) { SUCCESS }
    fn cuStreamIsCapturing(_stream: Handle, to: *mut c_int) { unsafe { give(to, Ok(0)) } }
    fn cuEventCreate(to: *mut Handle, _flags: c_uint) {
        let handle = state().handle();
        unsafe { give(to, Ok(ptr::without_provenance_mut(handle))) }
    }
    fn cuEventDestroy_v2(_event: Handle) { SUCCESS }
    fn cuEventRecord(_event: Handle, _stream: Handle) { SUCCESS }
    fn cuEventQuery(_event: Handle) { SUCCESS }
    fn cuEventSynchronize(_event: Handle) { SUCCESS }
    fn cuEventElapsedTime(to: *mut c_float, _start: Handle, _end: Handle) { unsafe { give(to, Ok(0.0)) } }
    fn cuEventElapsedTime_v2(to: *mut c_float, _start: Handle, _end: Handle) { unsafe { give(to, Ok(0.0)) } }
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        unsafe { give(free, Ok(16 << 30)) | give(total, Ok(16 << 30)) }
    }
    fn cuMemAlloc_v2(to: *mut DevicePtr, bytes: usize) {
        let address = allocate(bytes);
        unsafe { give(to, Ok(address)) }
    }
    fn cuMemAllocAsync(to: *mut DevicePtr, bytes: usize, _stream: Handle) {
        let address = allocate(bytes);
        unsafe { give(to, Ok(address)) }
    }
    fn cuMemAllocManaged(to: *mut DevicePtr, bytes: usize, _flags: c_uint) {
        let address = allocate(bytes);
        unsafe { give(to, Ok(address)) }
    }
    fn cuMemAllocHost_v2(to: *mut DevicePtr, bytes: usize) {
        let address = allocate(bytes);
        unsafe { give(to, Ok(address)) }
    }
    fn cuMemHostAlloc(to: *mut DevicePtr, bytes: usize, _flags: c_uint) {
        let address = allocate(bytes);
        unsafe { give(to, Ok(address)) }
    }
    fn cuMemFree_v2(address: DevicePtr) { free(address) }
    fn cuMemFreeAsync(address: DevicePtr, _stream: Handle) { free(address) }
    fn cuMemFreeHost(address: DevicePtr) { free(address) }
    fn cuMemcpyHtoD_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes) } }
    fn cuMemcpyDtoH_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes) } }
    fn cuMemcpyDtoD_v2(to: usize, from: usize, bytes: usize) { unsafe { copy(to, from, bytes) } }
    fn cuMemcpyHtoDAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) { unsafe { copy(to, from, bytes) } }
    fn cuMemcpyDtoHAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) { unsafe { copy(to, from, bytes) } }
    fn cuMemcpyDtoDAsync_v2(to: usize, from: usize, bytes: usize, _stream: Handle) { unsafe { copy(to, from, bytes) } }
    fn cuMemsetD8_v2(to: DevicePtr, value: u8, count: usize) {
        unsafe { ptr::with_exposed_provenance_mut::<u8>(to as usize).write_bytes(value, count) };
        SUCCESS
    }
    fn cuMemsetD8Async(to: DevicePtr, value: u8, count: usize, _stream: Handle) {
        unsafe { ptr::with_exposed_provenance_mut::<u8>(to as usize).write_bytes(value, count) };
        SUCCESS
    }
    fn cuLaunchHostFunc(_stream: Handle, function: unsafe extern "C" fn(*mut c_void), data: *mut c_void) {
        unsafe { function(data) };
        SUCCESS
    }
    fn cuGetErrorString(code: c_int, to: *mut *const c_char) { unsafe { error_text(code, to) } }
    fn cuGetErrorName(code: c_int, to: *mut *const c_char) { unsafe { error_text(code, to) } }
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
    fn cuOccupancyAvailableDynamicSMemPerBlock(
        _to: *mut usize,
        _function: Handle,
        _blocks: c_int,
        _threads: c_int,
    ) { NOT_SUPPORTED }
    fn cuOccupancyMaxPotentialBlockSize(
        _grid: *mut c_int,
        _block: *mut c_int,
        _function: Handle,
        _smem: *const c_void,
        _dynamic_smem: usize,
        _limit: c_int,
    ) { NOT_SUPPORTED }
}

unsafe fn error_text(code: c_int, to: *mut *const c_char) -> c_int {
    let text = match code {
        SUCCESS => c"no error",
        INVALID_VALUE => c"invalid argument",
        INVALID_DEVICE => c"invalid device ordinal",
        INVALID_CONTEXT => c"invalid device context",
        INVALID_HANDLE => c"invalid resource handle",
        NOT_FOUND => c"named symbol not found",
        OUT_OF_RESOURCES => c"too many resources requested for launch",
        NOT_SUPPORTED => c"operation not supported",
        INVALID_CLUSTER_SIZE => c"cluster misconfiguration",
        _ => c"an error of the stand-in",
    };
    // SAFETY: the caller of the driver's function vouches for the place.
    unsafe { give(to, Ok(text.as_ptr())) }
}

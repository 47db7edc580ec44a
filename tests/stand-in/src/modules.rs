//! Modules, their functions, and the functions' attributes.

use crate::codes::{FILE_NOT_FOUND, INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, SUCCESS};
use crate::contexts;
use crate::exports::Handle;
use crate::kernels::KernelModel;
use crate::state::{State, stand_in};
use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

pub(crate) struct Module {
    name: String,
    device: usize,
    functions: HashMap<String, usize>,
}

/// A loaded function.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) device: usize,
    pub(crate) model: KernelModel,
    pub(crate) max_dynamic_smem: i32,
    carveout: i32,
    non_portable: i32,
}

impl Function {
    /// Returns whether a cluster of this size may be launched: 8 blocks on every device, more where the function allows it
    /// (`CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`).
    pub(crate) fn may_have_clusters_of(&self, blocks: u32) -> bool {
        blocks <= 8 || self.non_portable != 0
    }
}

/// Static and dynamic shared memory of a function before its limit is raised, in bytes.
const DEFAULT_SMEM: i32 = 48 << 10;

/// Handles of functions are numbers that look like addresses.
fn handle(place: usize) -> Handle {
    ptr::without_provenance_mut((place + 1) << 6)
}

/// Returns the index of a function.
pub(crate) fn place_of(function: Handle) -> usize {
    (function.addr() >> 6).wrapping_sub(1)
}

/// Loads an image: PTX, a cubin or a fatbin, of which only the name is read that a test gave it.
///
/// # Safety
///
/// An image is longer than [`PREFIX`], or ends with a 0 before.
pub(crate) unsafe fn load(image: *const c_void) -> Result<Handle, c_int> {
    const PREFIX: &[u8] = b"stand-in ";
    if image.is_null() {
        return Err(INVALID_VALUE);
    }
    let device = contexts::current_device()?;
    // SAFETY: the caller's: it stops at the first byte that differs.
    let is_text = (0..PREFIX.len()).all(|at| unsafe { *image.cast::<u8>().add(at) == PREFIX[at] });
    let name = if is_text {
        // SAFETY: a text ends with a 0.
        let text = unsafe { CStr::from_ptr(image.cast()) }.to_str().map_err(|_| INVALID_VALUE)?;
        text[PREFIX.len()..].trim()
    } else {
        ""
    };
    let mut state = stand_in().lock();
    let handle = state.handle();
    state.modules.insert(handle, Module { name: name.to_owned(), device, functions: HashMap::new() });
    Ok(ptr::without_provenance_mut(handle))
}

/// Loads an image from a file.
pub(crate) fn load_file(path: &str) -> Result<Handle, c_int> {
    let mut image = std::fs::read(path).map_err(|_| FILE_NOT_FOUND)?;
    image.push(0);
    // SAFETY: it ends with a 0.
    unsafe { load(image.as_ptr().cast()) }
}

/// Unloads a module. Its functions' handles are reused by the next functions that are loaded.
pub(crate) fn unload(module: Handle) -> c_int {
    let mut state = stand_in().lock();
    let Some(module) = state.modules.remove(&module.addr()) else {
        return INVALID_HANDLE;
    };
    let mut places: Vec<usize> = module.functions.into_values().collect();
    // Functions that are loaded in the same order get the same handles.
    places.sort_unstable_by(|a, b| b.cmp(a));
    for place in places {
        state.functions[place] = None;
        state.free.push(place);
    }
    SUCCESS
}

pub(crate) fn get_function(module: Handle, name: &str) -> Result<Handle, c_int> {
    let mut state = stand_in().lock();
    let found = state.modules.get(&module.addr()).ok_or(INVALID_HANDLE)?;
    if let Some(place) = found.functions.get(name) {
        return Ok(handle(*place));
    }
    let device = found.device;
    let model = state.model(&found.name, device, name).ok_or(NOT_FOUND)?;
    let max_dynamic_smem = DEFAULT_SMEM - model.static_smem.cast_signed();
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
    Ok(handle(place))
}

pub(crate) fn attribute(attribute: c_int, function: Handle) -> Result<c_int, c_int> {
    let state = stand_in().lock();
    let function = state.function(place_of(function))?;
    let model = &function.model;
    if let Some((_, answer)) = model.attributes.iter().find(|(number, _)| *number == attribute) {
        return answer.ok_or(INVALID_VALUE);
    }
    let axis = |axis: usize| model.required_cluster.map_or(0, |cluster| cluster[axis].cast_signed());
    Ok(match attribute {
        0 => model.max_threads.cast_signed(),
        1 => model.static_smem.cast_signed(),
        2 | 7 | 15 => 0,
        3 => model.local.cast_signed(),
        4 => model.registers.cast_signed(),
        5 | 6 => binary(model, &state, function.device).cast_signed(),
        8 => function.max_dynamic_smem,
        9 => function.carveout,
        10 => c_int::from(model.required_cluster.is_some()),
        11..=13 => axis((attribute - 11).unsigned_abs() as usize),
        14 => function.non_portable,
        _ => return Err(INVALID_VALUE),
    })
}

/// Returns the capability that a function's binary is for.
fn binary(model: &KernelModel, state: &State, device: usize) -> u32 {
    let [major, minor] = state.devices[device].capability();
    if model.binary == 0 { major.saturating_mul(10).saturating_add(minor) } else { model.binary }
}

pub(crate) fn set_attribute(function: Handle, attribute: c_int, value: c_int) -> c_int {
    let mut state = stand_in().lock();
    let place = place_of(function);
    if attribute == 8 {
        state.raised.push(value);
    }
    let Ok(function) = state.function(place) else {
        return INVALID_HANDLE;
    };
    let most = state.devices[function.device].attribute(97) - function.model.static_smem.cast_signed();
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

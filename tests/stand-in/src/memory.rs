//! Device memory: memory of the process.

use crate::codes::{INVALID_VALUE, OUT_OF_MEMORY, SUCCESS};
use crate::state::{State, stand_in};
use std::alloc::Layout;
use std::ffi::c_int;
use std::ptr::{self, NonNull};

/// A device address.
pub(crate) type DevicePtr = u64;

/// Memory of each device, in bytes.
pub(crate) const TOTAL: usize = 16 << 30;

/// Alignment of allocations, as the driver's.
const ALIGNMENT: usize = 256;

/// An allocation.
pub(crate) struct Allocation {
    place: NonNull<u8>,
    layout: Layout,
}

// SAFETY: nothing is read or written through it but by who was given its address.
unsafe impl Send for Allocation {}

impl Allocation {
    fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok().filter(|_| bytes <= TOTAL)?;
        // SAFETY: the layout has at least one byte.
        let place = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Allocation { place, layout })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { std::alloc::dealloc(self.place.as_ptr(), self.layout) }
    }
}

/// Allocates memory. It is zeroed, which a driver does not promise.
pub(crate) fn allocate(bytes: usize) -> Result<DevicePtr, c_int> {
    let allocation = Allocation::new(bytes).ok_or(OUT_OF_MEMORY)?;
    let address = allocation.place.as_ptr().expose_provenance();
    stand_in().lock().allocations.insert(address, allocation);
    Ok(address as DevicePtr)
}

pub(crate) fn free(address: DevicePtr) -> c_int {
    match stand_in().lock().allocations.remove(&(address as usize)) {
        Some(_) => SUCCESS,
        None => INVALID_VALUE,
    }
}

/// Returns whether one allocation has all of these bytes.
fn is_allocated(state: &State, address: usize, bytes: usize) -> bool {
    let before = state.allocations.range(..=address).next_back();
    before.is_some_and(|(start, allocation)| {
        (address - start).checked_add(bytes).is_some_and(|end| end <= allocation.layout.size())
    })
}

/// Copies between the host and the device, which are the same here; `of_device` are the addresses that must be the
/// device's.
///
/// # Safety
///
/// The host's memory has so many bytes.
pub(crate) unsafe fn copy(to: usize, from: usize, bytes: usize, of_device: &[usize]) -> c_int {
    if bytes == 0 {
        return SUCCESS;
    }
    let state = stand_in().lock();
    if !of_device.iter().all(|address| is_allocated(&state, *address, bytes)) {
        return INVALID_VALUE;
    }
    drop(state);
    // SAFETY: the caller's, and the device's memory is allocated.
    unsafe {
        ptr::copy(ptr::with_exposed_provenance::<u8>(from), ptr::with_exposed_provenance_mut::<u8>(to), bytes);
    }
    SUCCESS
}

/// Fills memory with a value of one, two or four bytes.
pub(crate) fn fill<T: Copy>(to: DevicePtr, value: T, count: usize) -> c_int {
    let bytes = count.saturating_mul(size_of::<T>());
    let to = to as usize;
    if bytes == 0 {
        return SUCCESS;
    }
    if !to.is_multiple_of(align_of::<T>()) || !is_allocated(&stand_in().lock(), to, bytes) {
        return INVALID_VALUE;
    }
    let to = ptr::with_exposed_provenance_mut::<T>(to);
    // SAFETY: the memory is allocated, and aligned for the value.
    unsafe { (0..count).for_each(|at| to.add(at).write(value)) };
    SUCCESS
}

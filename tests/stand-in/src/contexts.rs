//! Contexts: the primary one of each device, those a program creates, and each thread's stack of them.

use crate::codes::{INVALID_CONTEXT, SUCCESS};
use crate::exports::Handle;
use crate::state::stand_in;
use std::cell::RefCell;
use std::ffi::c_int;
use std::ptr;

thread_local! {
    /// The last is current. A handle is the ordinal of its device and 1, and a number above that: 0 for the primary
    /// context.
    static STACK: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// First bit of a context's number in its handle.
const NUMBER: u32 = 16;

/// Returns the primary context of a device.
pub(crate) fn primary(device: usize) -> Handle {
    ptr::without_provenance_mut(device + 1)
}

/// Creates a context of a device and makes it current.
pub(crate) fn create(device: usize) -> Handle {
    let number = stand_in().lock().handle();
    let context = number << NUMBER | (device + 1);
    STACK.with_borrow_mut(|stack| stack.push(context));
    ptr::without_provenance_mut(context)
}

/// Returns the ordinal of a context's device.
fn device_of(context: usize) -> Option<usize> {
    let device = (context & ((1 << NUMBER) - 1)).checked_sub(1)?;
    (device < stand_in().lock().devices.len()).then_some(device)
}

/// Returns the ordinal of the current context's device.
pub(crate) fn current_device() -> Result<usize, c_int> {
    device_of(current().addr()).ok_or(INVALID_CONTEXT)
}

/// Returns the current context, or null if there is none.
pub(crate) fn current() -> Handle {
    ptr::without_provenance_mut(STACK.with_borrow(|stack| stack.last().copied().unwrap_or(0)))
}

/// Replaces the current context, or pops it for null.
pub(crate) fn set_current(context: Handle) -> c_int {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if !context.is_null() {
            stack.push(context.addr());
        }
    });
    SUCCESS
}

pub(crate) fn push(context: Handle) -> c_int {
    if device_of(context.addr()).is_none() {
        return INVALID_CONTEXT;
    }
    STACK.with_borrow_mut(|stack| stack.push(context.addr()));
    SUCCESS
}

pub(crate) fn pop() -> Result<Handle, c_int> {
    STACK.with_borrow_mut(Vec::pop).map(ptr::without_provenance_mut).ok_or(INVALID_CONTEXT)
}

/// Destroys a context and removes it from the current thread's stack.
pub(crate) fn destroy(context: Handle) -> c_int {
    if device_of(context.addr()).is_none() {
        return INVALID_CONTEXT;
    }
    STACK.with_borrow_mut(|stack| {
        if stack.last() == Some(&context.addr()) {
            stack.pop();
        }
    });
    SUCCESS
}

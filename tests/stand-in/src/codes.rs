//! The codes that the double's functions return unscripted.

use std::ffi::{CStr, c_int};

pub(crate) const SUCCESS: c_int = 0;
pub(crate) const INVALID_VALUE: c_int = 1;
pub(crate) const OUT_OF_MEMORY: c_int = 2;
pub(crate) const NO_DEVICE: c_int = 100;
pub(crate) const INVALID_DEVICE: c_int = 101;
pub(crate) const INVALID_CONTEXT: c_int = 201;
pub(crate) const FILE_NOT_FOUND: c_int = 301;
pub(crate) const INVALID_HANDLE: c_int = 400;
pub(crate) const NOT_FOUND: c_int = 500;
pub(crate) const OUT_OF_RESOURCES: c_int = 701;
pub(crate) const NOT_SUPPORTED: c_int = 801;
pub(crate) const INVALID_CLUSTER_SIZE: c_int = 912;

/// Returns the name and the text of a code, or `None` for an unknown one, as newer codes are to an older driver.
pub(crate) fn texts(code: c_int) -> Option<(&'static CStr, &'static CStr)> {
    Some(match code {
        SUCCESS => (c"CUDA_SUCCESS", c"no error"),
        INVALID_VALUE => (c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
        OUT_OF_MEMORY => (c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
        NO_DEVICE => (c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
        INVALID_DEVICE => (c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
        INVALID_CONTEXT => (c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
        FILE_NOT_FOUND => (c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
        INVALID_HANDLE => (c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
        NOT_FOUND => (c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
        700 => (c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
        OUT_OF_RESOURCES => (c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
        NOT_SUPPORTED => (c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
        INVALID_CLUSTER_SIZE => (c"CUDA_ERROR_INVALID_CLUSTER_SIZE", c"cluster misconfiguration"),
        crate::UNRECORDED => (c"CUDA_STAND_IN_UNRECORDED", c"nobody recorded an answer to this question"),
        _ => return None,
    })
}

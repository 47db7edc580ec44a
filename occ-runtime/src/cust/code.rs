//! The driver's codes as cust's errors.

use cust::error::CudaError;

/// Returns cust's error for a code. cust has no name for codes newer than CUDA 11.4, nor for some older ones.
pub(super) fn error(code: i32) -> CudaError {
    use CudaError as Error;
    match code {
        1 => Error::InvalidValue,
        2 => Error::OutOfMemory,
        3 => Error::NotInitialized,
        4 => Error::Deinitialized,
        100 => Error::NoDevice,
        101 => Error::InvalidDevice,
        200 => Error::InvalidImage,
        201 => Error::InvalidContext,
        209 => Error::NoBinaryForGpu,
        214 => Error::EccUncorrectable,
        218 => Error::InvalidPtx,
        400 => Error::InvalidHandle,
        500 => Error::NotFound,
        600 => Error::NotReady,
        700 => Error::IllegalAddress,
        701 => Error::LaunchOutOfResources,
        702 => Error::LaunchTimeout,
        709 => Error::ContextIsDestroyed,
        710 => Error::AssertError,
        714 => Error::HardwareStackError,
        715 => Error::IllegalInstruction,
        716 => Error::MisalignedAddress,
        717 => Error::InvalidAddressSpace,
        718 => Error::InvalidProgramCounter,
        719 => Error::LaunchFailed,
        800 => Error::NotPermitted,
        801 => Error::NotSupported,
        _ => Error::UnknownError,
    }
}

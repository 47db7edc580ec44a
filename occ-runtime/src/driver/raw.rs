//! The driver's C functions as addresses. Every result is a plain `c_int`: in an `enum` of a binding, a newer driver's code
//! would be undefined behaviour.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// Declares the table of functions, and the ways to fill it.
macro_rules! functions {
    ($($(#[$cfg:meta])* fn $name:ident($($argument:ident: $ty:ty),* $(,)?);)*) => {
        /// The functions that every driver since CUDA 11.3 has.
        #[derive(Clone, Copy)]
        #[allow(non_snake_case)]
        pub(super) struct Functions {
            $($(#[$cfg])* pub(super) $name: unsafe extern "C" fn($($ty),*) -> c_int,)*
        }

        #[cfg(feature = "cust")]
        mod linked {
            use super::*;

            // cust's build script links the library that has them.
            unsafe extern "C" {
                $(pub(super) fn $name($($argument: $ty),*) -> c_int;)*
            }
        }

        impl Functions {
            /// The functions that the program is linked with.
            #[cfg(feature = "cust")]
            pub(super) const LINKED: Functions = Functions { $($(#[$cfg])* $name: linked::$name),* };

            /// Returns the functions of a library, or the name of the first that is missing.
            #[cfg(feature = "loaded")]
            pub(super) fn of_library(library: &libloading::Library) -> Result<Functions, &'static str> {
                // SAFETY: the names are those of `cuda.h`, whose functions have these types.
                unsafe {
                    Ok(Functions {
                        $($(#[$cfg])* $name: *library.get(stringify!($name).as_bytes()).map_err(|_| stringify!($name))?,)*
                    })
                }
            }
        }
    };
}

functions! {
    fn cuCtxGetDevice(device: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: *mut c_void);
    fn cuFuncSetAttribute(function: *mut c_void, attribute: c_int, value: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: *mut c_void,
        threads: c_int,
        dynamic_smem: usize,
    );
    #[cfg(feature = "cust")]
    fn cuLaunchKernel(
        function: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_smem: c_uint,
        stream: *mut c_void,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuGetProcAddress(name: *const c_char, address: *mut *mut c_void, cuda_version: c_int, flags: u64);
}

/// The version of CUDA that introduced clusters, by which newer functions are looked up.
const CUDA_11_8: c_int = 11_080;

impl Functions {
    /// Looks up a function that only drivers since CUDA 11.8 have.
    fn newer(&self, name: &CStr) -> Option<*mut c_void> {
        let mut address = core::ptr::null_mut();
        // SAFETY: `name` ends with a 0, and `address` can be written to.
        let code = unsafe { (self.cuGetProcAddress)(name.as_ptr(), &raw mut address, CUDA_11_8, 0) };
        (code == 0 && !address.is_null()).then_some(address)
    }

    /// Looks up `cuOccupancyMaxActiveClusters`.
    pub(super) fn max_active_clusters(&self) -> Option<MaxActiveClusters> {
        let address = self.newer(c"cuOccupancyMaxActiveClusters")?;
        // SAFETY: the driver's function of that name has this type.
        Some(unsafe { core::mem::transmute::<*mut c_void, MaxActiveClusters>(address) })
    }

    /// Looks up `cuLaunchKernelEx`.
    #[cfg(feature = "cust")]
    pub(super) fn launch_kernel_ex(&self) -> Option<LaunchKernelEx> {
        let address = self.newer(c"cuLaunchKernelEx")?;
        // SAFETY: the driver's function of that name has this type.
        Some(unsafe { core::mem::transmute::<*mut c_void, LaunchKernelEx>(address) })
    }
}

pub(super) type MaxActiveClusters = unsafe extern "C" fn(*mut c_int, *mut c_void, *const LaunchConfig) -> c_int;
#[cfg(feature = "cust")]
pub(super) type LaunchKernelEx =
    unsafe extern "C" fn(*const LaunchConfig, *mut c_void, *mut *mut c_void, *mut *mut c_void) -> c_int;

/// `CUlaunchConfig` of `cuda.h`.
#[repr(C)]
pub(super) struct LaunchConfig {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) dynamic_smem: c_uint,
    pub(super) stream: *mut c_void,
    pub(super) attributes: *const LaunchAttribute,
    pub(super) attribute_count: c_uint,
}

/// `CUlaunchAttribute`: an identifier, padded to 8 bytes, and a union of 64 bytes.
#[repr(C, align(8))]
pub(super) struct LaunchAttribute {
    id: c_int,
    pad: [u8; 4],
    value: [c_uint; 16],
}

const _: () = assert!(core::mem::size_of::<LaunchAttribute>() == 72);

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`
    const CLUSTER_DIMENSION: c_int = 4;

    pub(super) fn cluster([x, y, z]: [u32; 3]) -> Self {
        let mut value = [0; 16];
        value[..3].copy_from_slice(&[x, y, z]);
        LaunchAttribute { id: Self::CLUSTER_DIMENSION, pad: [0; 4], value }
    }
}

//! The guard for cust 0.3: bound functions, [`LaunchSpec::launch`](crate::LaunchSpec::launch), a drop-in for
//! `stream.launch`, and `launch!`.
//!
//! ```no_run
//! use cust::prelude::*;
//! use occ_runtime::{launch_config, LaunchError};
//! use std::ffi::c_void;
//!
//! #[launch_config(arch = "sm_80", block = 256, registers = 24, spec = SAXPY)]
//! fn saxpy(module: &Module, stream: &Stream, n: u32, x: DevicePointer<f32>) -> Result<(), LaunchError> {
//!     let function = module.get_function("saxpy").expect("the module has it");
//!     let arguments = [&raw const n as *mut c_void, &raw const x as *mut c_void];
//!     // Block and shared memory come from the spec: what is launched is what was checked.
//!     unsafe { SAXPY.launch(stream, &function, n.div_ceil(256), &arguments) }
//! }
//! ```

mod bound;
mod code;
mod site;

pub use bound::{Bound, guard};
pub use site::LaunchAs;
#[doc(hidden)]
pub use site::{Launchable, guard as guard_site};

//! A test double of the CUDA driver, for machines without one.
//!
//! It has the driver's C functions, as far as cust, cudarc and the guard call them, and answers from what was recorded:
//! NVIDIA's header (`tests/data/golden`), what profilers printed (`tests/data/readings.csv`), published tables, a
//! published measurement on a Tesla T4. It computes no occupancy and does not know `occ-core`. A question that nobody
//! recorded gets [`UNRECORDED`] for an answer, and is listed by [`StandIn::unrecorded`].
//!
//! A test takes [`stand_in`] and scripts it: devices, kernels, failures with any code, lies, delays. Device memory is
//! memory of the process. The handle of an unloaded function is given to the next one that is loaded.

mod codes;
mod contexts;
mod devices;
mod exports;
mod kernels;
mod launch;
mod memory;
mod modules;
mod readings;
mod recorded;
mod scripts;
mod state;

pub use devices::DeviceModel;
pub use exports::NAMES;
pub use kernels::{Arguments, Emulation, KernelModel, Launch};
pub use recorded::{Question, recorded};
pub use state::{StandIn, stand_in};

/// The code for a question whose answer nobody recorded: no driver returns it.
pub const UNRECORDED: i32 = 424_242;

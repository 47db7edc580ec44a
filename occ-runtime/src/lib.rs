//! GPU launch configurations that are checked when the code is compiled.
//!
//! ```
//! use occ_runtime::launch_config;
//!
//! #[launch_config(arch = ["sm_80", "sm_89"], min_occupancy = 0.5, block = 256, registers = 40, spec = SAXPY)]
//! fn saxpy() {
//!     // launch!(module.saxpy<<<grid, 256, 0, stream>>>(..))
//! }
//!
//! assert_eq!(SAXPY.register_budget(), Some(64));
//! ```
//!
//! # Features
//!
//! - `cubin` and `text` (on by default), `containers`: file formats that `cubin = ".."` reads.
//! - `cust`, `cudarc`: a guard compares what was checked with the driver before the first launch. See the modules of these
//!   names.
//! - `guard`: the guard alone, for other bindings. `loaded`: also loads the driver of this machine.
//! - `serde`: `Serialize` for the model's types and for what the guard reports.
//!
//! Without `guard` the crate needs no standard library and no allocator.
#![no_std]
#![cfg_attr(not(feature = "guard"), forbid(unsafe_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "guard")]
extern crate std;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[doc(hidden)]
pub use __private::{at as __at, checked as __checked, end as __end, judge as __judge};
#[cfg(feature = "cudarc")]
pub mod cudarc;
#[cfg(feature = "cust")]
pub mod cust;
mod display;
#[cfg(feature = "guard")]
pub mod driver;
#[cfg(feature = "guard")]
pub mod guard;
#[cfg(feature = "cust")]
mod launch_macro;
mod spec;
mod words;

#[cfg(feature = "guard")]
pub use guard::{LaunchError, Mismatch, Report};
pub use occ_core::{
    Advice, Allocation, Arch, Argument, AtMost, Axis, BlockLimits, BlockSize, BlockSmem, Carveout, Ceilings, Change,
    Check, Code, Compiled, Confidence, CudaError, Gpu, Kernel, LatencyHiding, Launch, LaunchBounds, Limiters, Number,
    Occupancy, OccupancyMap, Path, Portability, Refusal, Requirement, Resource, Rule, SmLimits, SmemSplit, Step, Steps,
    Target, UnknownGpu, UnknownTarget, UnknownTargetReason, Verdict, Waves, allocation, available_dynamic_smem,
    best_block_size, best_block_size_for, best_block_size_with, cluster_upper_bound, divergence_lane_use,
    lane_efficiency, occupancy, register_budget, steps,
};
#[doc = include_str!("launch_config.md")]
pub use occ_macros::launch_config;
pub use spec::{LaunchSpec, OnMismatch};

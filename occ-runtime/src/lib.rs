#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(not(feature = "guard"), forbid(unsafe_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "guard")]
extern crate std;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
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

//! NVIDIA's occupancy arithmetic, evaluated wherever it is needed: in a constant, in a macro, at run time.
//!
//! ```
//! use occ_core::{Arch, Kernel, Launch, Resource, occupancy};
//!
//! let kernel = Kernel::new().registers(168);
//! let answer = occupancy(Arch::SM_80.limits(), &kernel, &Launch::new(256)).unwrap();
//!
//! assert_eq!(answer.fraction(), 0.125);
//! assert!(answer.limiters().eq([Resource::Registers]));
//! ```
//!
//! The crate has no dependencies, needs no allocator and no CUDA, and every function that can be is `const fn`.
//!
//! - What is known of the hardware: [`Arch`], [`Target`], [`SmLimits`], [`Gpu`].
//! - What is asked: [`Kernel`], [`Launch`].
//! - The answer: [`occupancy`], [`Occupancy`], or a [`Refusal`].
//! - The answer turned round: [`steps`], [`best_block_size`], [`available_dynamic_smem`], [`register_budget`].
//! - Around it: [`Waves`], [`cluster_upper_bound`], [`LatencyHiding`], [`divergence_lane_use`], [`lane_efficiency`].
//! - A launch held against what it must reach, with every word of the message: [`Check`].
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod advice;
mod arch;
mod check;
mod compiled;
mod gpu;
mod gpu_table;
mod grid;
mod launch;
mod limits;
mod map;
mod message;
mod nearest;
mod occupancy;
mod refusal;
mod search;
mod shortcut;
mod steps;
mod text;
mod warps;

pub use advice::{Advice, Change};
pub use arch::{Arch, Code, Portability, Target, UnknownTarget, UnknownTargetReason};
pub use check::{Argument, Check, Requirement, Rule, Verdict};
pub use compiled::{AtMost, Ceilings, Compiled};
pub use gpu::{Confidence, Gpu, UnknownGpu};
pub use grid::{Waves, cluster_upper_bound};
pub use launch::{Carveout, Kernel, Launch, LaunchBounds};
pub use limits::{SmLimits, SmemSplit};
pub use map::OccupancyMap;
pub use nearest::{did_you_mean, edit_distance};
pub use occupancy::{Allocation, BlockLimits, Limiters, Occupancy, Resource, allocation, occupancy};
pub use refusal::{Axis, CudaError, Refusal};
pub use search::{
    BlockSize, BlockSmem, available_dynamic_smem, best_block_size, best_block_size_for, best_block_size_with,
    register_budget,
};
pub use shortcut::{arch_bits, certainly_reaches};
pub use steps::{Step, Steps, steps};
pub use text::Text;
pub use warps::{LatencyHiding, Path, divergence_lane_use, lane_efficiency};

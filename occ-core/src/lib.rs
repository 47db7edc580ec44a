#![doc = include_str!("../README.md")]
//!
//! # Where to start
//!
//! - The hardware: [`Arch`], [`Target`], [`SmLimits`], [`Gpu`].
//! - The question: [`Kernel`] (decided by the compiler) and [`Launch`] (decided by the programmer).
//! - The answer: [`occupancy`] returns an [`Occupancy`] or a [`Refusal`]; [`allocation`] returns what a block takes.
//! - The inverse questions: [`best_block_size`], [`register_budget`], [`available_dynamic_smem`], [`steps`],
//!   [`OccupancyMap`].
//! - Beyond one SM: [`Waves`], [`cluster_upper_bound`]. Inside a warp: [`LatencyHiding`], [`divergence_lane_use`],
//!   [`lane_efficiency`].
//! - A launch checked against a [`Requirement`] on several capabilities, with an explanation: [`Check`].
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

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
pub use occupancy::{Allocation, BlockLimits, Limiters, Occupancy, Resource, allocation, occupancy};
pub use refusal::{Axis, CudaError, Refusal};
pub use search::{
    BlockSize, BlockSmem, available_dynamic_smem, best_block_size, best_block_size_for, best_block_size_with,
    register_budget,
};
pub use steps::{Step, Steps, steps};
pub use warps::{LatencyHiding, Path, divergence_lane_use, lane_efficiency};

/// What the sister crates and the expansion of `#[launch_config]` need. It may change with every version.
#[doc(hidden)]
pub mod internal {
    pub use crate::nearest::{did_you_mean, edit_distance};
    pub use crate::shortcut::{arch_bits, certainly_reaches};
    pub use crate::text::Text;
}

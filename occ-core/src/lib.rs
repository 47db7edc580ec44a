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
mod allocation;
mod arch;
mod arithmetic;
mod block_limits;
mod block_size;
mod budget;
mod carveout;
mod check;
mod compiled;
mod evaluation;
mod gpu;
mod gpu_lookup;
mod gpu_table;
mod grid;
mod kernel;
mod launch;
mod limiting;
mod limits;
mod map;
mod message;
mod nearest;
mod occupancy;
mod refusal;
mod requirement;
mod shortcut;
mod steps;
mod target;
mod text;
mod warps;

pub use advice::{Advice, Change};
pub use allocation::{Allocation, allocation};
pub use arch::Arch;
pub use block_limits::{BlockLimits, Limiters, Resource};
pub use block_size::{BlockSize, BlockSmem, best_block_size, best_block_size_for, best_block_size_with};
pub use budget::{available_dynamic_smem, register_budget};
pub use carveout::{Carveout, SmemSplit};
pub use check::Check;
pub use compiled::{AtMost, Compiled};
pub use evaluation::{Evaluation, Outcome, Verdict};
pub use gpu::{Confidence, Gpu};
pub use gpu_lookup::UnknownGpu;
pub use grid::{Waves, cluster_upper_bound};
pub use kernel::{Kernel, LaunchBounds};
pub use launch::Launch;
pub use limits::SmLimits;
pub use map::OccupancyMap;
pub use occupancy::{Occupancy, occupancy};
pub use refusal::{Axis, CudaError, Refusal};
pub use requirement::{Argument, Ceilings, Number, Requirement, Rule, Shortfall};
pub use steps::{Step, Steps, steps};
pub use target::{Code, Portability, Target, UnknownTarget, UnknownTargetReason};
pub use warps::{LatencyHiding, Path, divergence_lane_use, lane_efficiency};

/// What the sister crates and the expansion of `#[launch_config]` need. It may change with every version.
#[doc(hidden)]
pub mod internal {
    pub use crate::message::{BY_RESOURCE, Filled, Sentence, Value};
    pub use crate::nearest::{did_you_mean, edit_distance};
    pub use crate::shortcut::{arch_bits, certainly_reaches};
    pub use crate::text::Text;
}

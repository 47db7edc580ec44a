//! The next steps of a launch: how far each value can grow for free, and how far it must shrink for one more block.

use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::occupancy::occupancy;

/// The steps around one value of a launch, with all others unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// Current value.
    pub now: u32,
    /// Largest value that keeps the blocks per SM: `keeps - now` is the headroom.
    pub keeps: u32,
    /// Largest smaller value with more blocks per SM; `None` if reducing this value alone gains none.
    pub gains: Option<u32>,
    /// Blocks per SM with `gains`.
    pub gains_blocks: Option<u32>,
}

/// The steps around the values of a launch that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Steps {
    /// Registers per thread; `None` if they are not known.
    pub registers: Option<Step>,
    /// Dynamic shared memory per block, in bytes. Static shared memory has the same steps: only the sum counts.
    pub dynamic_smem: Step,
    /// Threads of a one-dimensional block.
    pub threads: Step,
    /// Named barriers per block.
    pub barriers: Step,
}

/// A value of a launch that can be changed.
#[derive(Clone, Copy)]
enum Parameter {
    Registers,
    DynamicSmem,
    Threads,
    Barriers,
}

/// Returns the steps around the values of a launch, or `None` if it cannot run.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, steps};
///
/// // 42 registers allow 5 blocks. 48 still do; 40 allow 6.
/// let steps = steps(Arch::SM_80.limits(), &Kernel::new().registers(42), &Launch::new(256)).unwrap();
/// let registers = steps.registers.unwrap();
/// assert_eq!((registers.keeps, registers.gains, registers.gains_blocks), (48, Some(40), Some(6)));
/// assert_eq!(steps.dynamic_smem.gains, None);
/// ```
pub const fn steps(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Option<Steps> {
    let blocks = match occupancy(sm, kernel, launch) {
        Ok(answer) => answer.blocks_per_sm,
        Err(_) => return None,
    };
    let registers = match kernel.registers {
        Some(now) => Some(step(sm, kernel, launch, Parameter::Registers, now, sm.max_registers_per_thread, blocks)),
        None => None,
    };
    let max_smem = sm.smem_per_block_optin.saturating_sub(kernel.static_smem);
    Some(Steps {
        registers,
        dynamic_smem: step(sm, kernel, launch, Parameter::DynamicSmem, launch.dynamic_smem, max_smem, blocks),
        threads: step(sm, kernel, launch, Parameter::Threads, launch.threads(), sm.max_threads_per_block, blocks),
        barriers: step(sm, kernel, launch, Parameter::Barriers, kernel.barriers, sm.barriers_per_block, blocks),
    })
}

/// Returns the steps around one value, which is at most `max`.
const fn step(
    sm: &SmLimits,
    kernel: &Kernel,
    launch: &Launch,
    parameter: Parameter,
    now: u32,
    max: u32,
    blocks: u32,
) -> Step {
    // The largest value in now..=max that still holds `blocks`.
    let mut keeps = now;
    let mut above = max;
    while keeps < above {
        let middle = keeps + (above - keeps).div_ceil(2);
        if blocks_with(sm, kernel, launch, parameter, middle) >= blocks {
            keeps = middle;
        } else {
            above = middle - 1;
        }
    }
    let least = if matches!(parameter, Parameter::Threads) { 1 } else { 0 };
    let best = blocks_with(sm, kernel, launch, parameter, least);
    if best <= blocks || now <= least {
        return Step { now, keeps, gains: None, gains_blocks: None };
    }
    // The largest value in least..now that holds more.
    let mut gains = least;
    let mut not = now;
    while gains + 1 < not {
        let middle = gains + (not - gains) / 2;
        if blocks_with(sm, kernel, launch, parameter, middle) > blocks {
            gains = middle;
        } else {
            not = middle;
        }
    }
    Step { now, keeps, gains: Some(gains), gains_blocks: Some(blocks_with(sm, kernel, launch, parameter, gains)) }
}

/// Returns the blocks per SM with one value changed; 0 if the launch then cannot run.
const fn blocks_with(sm: &SmLimits, kernel: &Kernel, launch: &Launch, parameter: Parameter, value: u32) -> u32 {
    let mut kernel = *kernel;
    let mut launch = *launch;
    match parameter {
        Parameter::Registers => kernel.registers = Some(value),
        Parameter::DynamicSmem => launch.dynamic_smem = value,
        Parameter::Threads => launch.block = [value, 1, 1],
        Parameter::Barriers => kernel.barriers = value,
    }
    match occupancy(sm, &kernel, &launch) {
        Ok(answer) => answer.blocks_per_sm,
        Err(_) => 0,
    }
}

//! How far each resource is from the next step: what may still grow, and what must shrink for one more block.

use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::occupancy::occupancy;

/// The steps around one value of a launch, while everything else stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Step {
    /// The value now.
    pub now: u32,
    /// The largest value that keeps the blocks per SM: `keeps - now` is the headroom.
    pub keeps: u32,
    /// The largest smaller value with which the SM holds more blocks; `None` if shrinking this alone gains none.
    pub gains: Option<u32>,
    /// How many blocks the SM holds then.
    pub gains_blocks: Option<u32>,
}

/// The steps around a launch that can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Steps {
    /// Registers per thread; `None` where they are not known.
    pub registers: Option<Step>,
    /// Dynamic shared memory per block in bytes. Static shared memory has the same steps: only the sum counts.
    pub dynamic_smem: Step,
    /// Threads of a one-dimensional block. `keeps` counts within the blocks per SM of now.
    pub threads: Step,
    /// Named barriers of a block.
    pub barriers: Step,
}

#[derive(Clone, Copy)]
enum Knob {
    Registers,
    DynamicSmem,
    Threads,
    Barriers,
}

/// The steps around a launch, or `None` if it cannot run.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, steps};
///
/// // 42 registers: 5 blocks. Up to 48 cost nothing more; 2 fewer gain a block.
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
        Some(now) => Some(step(sm, kernel, launch, Knob::Registers, now, sm.max_registers_per_thread, blocks)),
        None => None,
    };
    let most_smem = sm.smem_per_block_optin.saturating_sub(kernel.static_smem);
    Some(Steps {
        registers,
        dynamic_smem: step(sm, kernel, launch, Knob::DynamicSmem, launch.dynamic_smem, most_smem, blocks),
        threads: step(sm, kernel, launch, Knob::Threads, launch.threads(), sm.max_threads_per_block, blocks),
        barriers: step(sm, kernel, launch, Knob::Barriers, kernel.barriers, sm.barriers_per_block, blocks),
    })
}

const fn step(sm: &SmLimits, kernel: &Kernel, launch: &Launch, knob: Knob, now: u32, most: u32, blocks: u32) -> Step {
    // The largest value in now..=most that still holds `blocks`.
    let mut keeps = now;
    let mut above = most;
    while keeps < above {
        let middle = keeps + (above - keeps).div_ceil(2);
        if blocks_with(sm, kernel, launch, knob, middle) >= blocks {
            keeps = middle;
        } else {
            above = middle - 1;
        }
    }
    let least = if matches!(knob, Knob::Threads) { 1 } else { 0 };
    let best = blocks_with(sm, kernel, launch, knob, least);
    if best <= blocks || now <= least {
        return Step { now, keeps, gains: None, gains_blocks: None };
    }
    // The largest value in least..now that holds more.
    let mut gains = least;
    let mut not = now;
    while gains + 1 < not {
        let middle = gains + (not - gains) / 2;
        if blocks_with(sm, kernel, launch, knob, middle) > blocks {
            gains = middle;
        } else {
            not = middle;
        }
    }
    Step { now, keeps, gains: Some(gains), gains_blocks: Some(blocks_with(sm, kernel, launch, knob, gains)) }
}

/// Blocks per SM with one value changed; 0 if the launch cannot run then.
const fn blocks_with(sm: &SmLimits, kernel: &Kernel, launch: &Launch, knob: Knob, value: u32) -> u32 {
    let mut kernel = *kernel;
    let mut launch = *launch;
    match knob {
        Knob::Registers => kernel.registers = Some(value),
        Knob::DynamicSmem => launch.dynamic_smem = value,
        Knob::Threads => launch.block = [value, 1, 1],
        Knob::Barriers => kernel.barriers = value,
    }
    match occupancy(sm, &kernel, &launch) {
        Ok(answer) => answer.blocks_per_sm,
        Err(_) => 0,
    }
}

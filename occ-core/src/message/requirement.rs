//! The sentences of each requirement: as it is stated, and as it is missed.

use super::sentence::{Sentence, Value};
use crate::grid::Waves;
use crate::requirement::{Argument, Number, Requirement, Resident};
use crate::text::Text;
use core::fmt;

// As they are stated, in lists.
const OCCUPANCY: Sentence<1> = Sentence::new("occupancy {}");
const PER_SM: Sentence<1> = Sentence::new("{} per SM");
const LANE_EFFICIENCY: Sentence<1> = Sentence::new("lane efficiency {}");
const WAVES: Sentence<1> = Sentence::new("{} waves");
const MAX_WAVES: Sentence<1> = Sentence::new("at most {} waves");
const TAIL_IDLE: Sentence<1> = Sentence::new("at most {} of the last wave idle");
const NOTHING: Sentence<0> = Sentence::new("that it can run");

// As they are missed.
const LOW_OCCUPANCY: Sentence<2> = Sentence::new("occupancy {} is below the required {}");
const FEW_RESIDENT: Sentence<2> = Sentence::new("resident per SM: {}; the required minimum is {}");
const LOW_LANE_EFFICIENCY: Sentence<2> = Sentence::new("lane efficiency {} is below the required {}");
const FEW_WAVES: Sentence<4> = Sentence::new("the grid takes {} {} on {}; the required minimum is {}");
const MANY_WAVES: Sentence<4> = Sentence::new("the grid takes {} {} on {}; the declared maximum is {}");
const IDLE_TAIL: Sentence<3> = Sentence::new("{} of the last wave is idle on {}; the declared maximum is {}");

/// Appends a requirement as it is stated.
pub(super) const fn stated<const N: usize>(text: &mut Text<N>, requirement: &Requirement, argument: Argument) {
    match (argument, requirement.get(argument)) {
        (Argument::MinOccupancy, Some(Number::Float(least))) => {
            OCCUPANCY.write(text, [Value::PercentRequired(least)]);
        }
        (Argument::MinBlocksPerSm, Some(Number::Integer(least))) => {
            PER_SM.write(text, [Value::Count(least as u64, "block")]);
        }
        (Argument::MinWarpsPerSm, Some(Number::Integer(least))) => {
            PER_SM.write(text, [Value::Count(least as u64, "warp")]);
        }
        (Argument::MinLaneEfficiency, Some(Number::Float(least))) => {
            LANE_EFFICIENCY.write(text, [Value::PercentRequired(least)]);
        }
        (Argument::MinWaves, Some(Number::Float(least))) => WAVES.write(text, [Value::Required(least)]),
        (Argument::MaxWaves, Some(Number::Float(most))) => MAX_WAVES.write(text, [Value::Allowed(most)]),
        (Argument::MaxTailIdle, Some(Number::Float(most))) => TAIL_IDLE.write(text, [Value::PercentAllowed(most)]),
        _ => {}
    }
}

/// Returns what resident blocks reach of a requirement of [`Rule::Launch`](crate::Rule::Launch).
pub(super) const fn reached(requirement: &Requirement, argument: Argument, resident: &Resident) -> Value<'static> {
    let fraction = resident.warps() as f64 / resident.max_warps as f64;
    match (argument, requirement.min_occupancy) {
        (Argument::MinOccupancy, Some(least)) if fraction < least => Value::PercentBelow(fraction, least),
        (Argument::MinOccupancy, _) => Value::Percent(fraction),
        (Argument::MinBlocksPerSm, _) => Value::Count(resident.blocks as u64, "block"),
        _ => Value::Count(resident.warps() as u64, "warp"),
    }
}

/// Appends that a requirement of [`Rule::Launch`](crate::Rule::Launch) is missed; `reached` may list several capabilities.
pub(super) const fn missed<const N: usize>(
    text: &mut Text<N>,
    requirement: &Requirement,
    argument: Argument,
    reached: Value<'_>,
) {
    match requirement.get(argument) {
        Some(Number::Float(least)) => LOW_OCCUPANCY.write(text, [reached, Value::PercentRequired(least)]),
        Some(Number::Integer(least)) => FEW_RESIDENT.write(text, [reached, Value::Number(least as u64)]),
        None => {}
    }
}

/// Appends that a block misses a requirement.
pub(super) const fn missed_by_block(text: &mut Text, requirement: &Requirement, argument: Argument, efficiency: f64) {
    if let Some(Number::Float(least)) = requirement.get(argument) {
        let values = [Value::PercentBelow(efficiency, least), Value::PercentRequired(least)];
        LOW_LANE_EFFICIENCY.write(text, values);
    }
}

/// Appends that a grid misses a requirement on a GPU.
pub(super) const fn missed_by_grid(
    text: &mut Text,
    requirement: &Requirement,
    argument: Argument,
    waves: &Waves,
    gpu: &str,
) {
    let gpu = Value::Name(gpu);
    let noun = Value::Name(if waves.blocks() == waves.slots() { "wave" } else { "waves" });
    match (argument, requirement.get(argument)) {
        (Argument::MinWaves, Some(Number::Float(least))) => {
            FEW_WAVES.write(text, [Value::Below(waves.exact(), least), noun, gpu, Value::Required(least)]);
        }
        (Argument::MaxWaves, Some(Number::Float(most))) => {
            MANY_WAVES.write(text, [Value::Above(waves.exact(), most), noun, gpu, Value::Allowed(most)]);
        }
        (Argument::MaxTailIdle, Some(Number::Float(most))) => {
            IDLE_TAIL.write(text, [Value::PercentAbove(waves.tail_idle(), most), gpu, Value::PercentAllowed(most)]);
        }
        _ => {}
    }
}

impl Requirement {
    /// Returns the first requirement of [`Rule::Launch`](crate::Rule::Launch) that so many resident blocks miss, with both numbers; empty if
    /// they miss none.
    ///
    /// ```
    /// use occ_core::Requirement;
    ///
    /// let half = Requirement::new().min_occupancy(0.5);
    /// // 1 block of 8 warps, where 64 warps could be.
    /// assert_eq!(half.missed(1, 8, 64).as_str(), "occupancy 12.5% is below the required 50%");
    /// assert!(half.missed(4, 8, 64).is_empty());
    /// ```
    pub const fn missed(&self, blocks_per_sm: u32, warps_per_block: u32, max_warps_per_sm: u32) -> Text {
        let mut text = Text::new();
        let max_warps = if max_warps_per_sm == 0 { 1 } else { max_warps_per_sm };
        let resident = Resident { blocks: blocks_per_sm, warps_per_block, max_warps };
        if let Some(argument) = self.shortfall(&resident).first() {
            missed(&mut text, self, argument, reached(self, argument, &resident));
        }
        text
    }
}

/// The requirements in a list: `occupancy 50%, 2 blocks per SM`.
impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for argument in Argument::REQUIREMENTS {
            let mut text = Text::<64>::new();
            stated(&mut text, self, *argument);
            if !text.is_empty() {
                f.write_str(if is_first { "" } else { ", " })?;
                f.write_str(text.as_str())?;
                is_first = false;
            }
        }
        if is_first { NOTHING.with([]).fmt(f) } else { Ok(()) }
    }
}

//! A grid with too few waves, or with a last wave that is too empty.

use super::NOTE;
use super::numbers::{above, above_bound, below, within};
use super::short::count_of;
use crate::check::Check;
use crate::grid::Waves;
use crate::requirement::Rule;
use crate::text::Text;

pub(super) const fn grid(text: &mut Text, check: &Check<'_>, rule: Rule) {
    if !check.has_grid() {
        text.str(if matches!(rule, Rule::MinWaves) { "`min_waves`" } else { "`max_tail_idle`" });
        text.str(" needs a grid and a GPU").str(NOTE);
        text.str("waves are counted over the SMs of a GPU, which no compute capability tells");
        return;
    }
    let Some((at, waves)) = check.first_short_grid(rule) else {
        return;
    };
    let gpu = check.gpus[at];
    match (rule, check.requirement.min_waves, check.requirement.max_tail_idle) {
        (Rule::MinWaves, Some(required), _) => {
            text.str("the grid makes ");
            below(text, waves.exact(), required).str(if waves.blocks() == waves.slots() {
                " wave on "
            } else {
                " waves on "
            });
            above(text.str(gpu.name).str(", below the required "), required);
        }
        (_, _, Some(allowed)) => {
            // More than allowed is less than allowed of what is left.
            let idle = waves.tail_idle();
            above_bound(text, idle * 100.0, allowed * 100.0).str("% of the last wave is idle on ").str(gpu.name);
            within(text.str(", above the allowed "), allowed * 100.0).str("%");
        }
        _ => {}
    }
    text.str(NOTE);
    in_slots(text, &waves);
}

/// `2000 blocks over 640 slots (80 SMs × 8 blocks): 3 full waves and a tail of 80 blocks`.
const fn in_slots(text: &mut Text, waves: &Waves) {
    text.num(waves.blocks()).str(if waves.blocks() == 1 { " block over " } else { " blocks over " });
    text.num(waves.slots()).str(" slots (").num(waves.sm_count() as u64).str(" SMs × ");
    count_of(text, waves.blocks_per_sm(), "block").str("): ");
    text.num(waves.full()).str(if waves.full() == 1 { " full wave" } else { " full waves" });
    let tail = waves.tail_blocks();
    if tail > 0 {
        text.str(" and a tail of ").num(tail).str(if tail == 1 { " block" } else { " blocks" });
    }
}

//! A grid with too few waves, or with a last wave that is too empty.

use super::requirement::missed_by_grid;
use super::sentence::{NOTE, Sentence, Value};
use crate::evaluation::Evaluation;
use crate::grid::Waves;
use crate::requirement::{Argument, Rule};
use crate::text::Text;
use core::fmt;

const NEEDS_GRID: Sentence<1> = Sentence::new("`{}` requires a grid and a GPU");
const WHY_GPU: Sentence<0> =
    Sentence::new("waves depend on a GPU's number of SMs, which its compute capability does not determine");
const SLOTS: Sentence<5> = Sentence::new("{} over {} slots ({} × {}): {}");
const TAIL: Sentence<2> = Sentence::new(" and a tail of {}, which leaves {} of its wave idle");

pub(super) const fn grid(text: &mut Text, evaluation: &Evaluation<'_>, rule: Rule, required: Argument) {
    if !evaluation.has_grid() {
        NEEDS_GRID.write(text, [Value::Name(required.name())]);
        WHY_GPU.write(text.str(NOTE), []);
    } else if let Some((gpu, waves)) = evaluation.first_short_grid(rule) {
        missed_by_grid(text, &evaluation.check.requirement, required, &waves, gpu.name);
        waves.write(text.str(NOTE));
    }
}

impl Waves {
    const fn write<const N: usize>(&self, text: &mut Text<N>) {
        let values = [
            Value::Count(self.blocks(), "block"),
            Value::Number(self.slots()),
            Value::Count(self.sm_count() as u64, "SM"),
            Value::Count(self.blocks_per_sm() as u64, "block"),
            Value::Count(self.full(), "full wave"),
        ];
        SLOTS.write(text, values);
        if self.tail_blocks() > 0 {
            TAIL.write(text, [Value::Count(self.tail_blocks(), "block"), Value::Percent(self.tail_idle())]);
        }
    }
}

/// `2000 blocks over 640 slots (80 SMs × 8 blocks): 3 full waves and a tail of 80 blocks, which leaves 87.5% of its
/// wave idle`.
impl fmt::Display for Waves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::<256>::new();
        self.write(&mut text);
        f.write_str(text.as_str())
    }
}

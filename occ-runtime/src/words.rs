//! The sentence for a grid's waves, which the text of a spec and the log share.

use core::fmt::{Display, Formatter, Result};
use occ_core::Waves;
use occ_core::internal::{Sentence, Value};

const IN_SLOTS: Sentence<5> = Sentence::new("{} over {} slots ({} SMs × {}): {}");
const TAIL: Sentence<2> = Sentence::new(" and a tail of {}, which leaves {} of its wave idle");

/// The waves of a grid as a sentence.
pub(crate) struct WavesText(pub(crate) Waves);

impl Display for WavesText {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let WavesText(waves) = self;
        let values = [
            Value::Count(waves.blocks(), "block"),
            Value::Number(waves.slots()),
            Value::Number(waves.sm_count().into()),
            Value::Count(waves.blocks_per_sm().into(), "block"),
            Value::Count(waves.full(), "full wave"),
        ];
        IN_SLOTS.with(values).fmt(f)?;
        match waves.tail_blocks() {
            0 => Ok(()),
            tail => TAIL.with([Value::Count(tail, "block"), Value::Percent(waves.tail_idle())]).fmt(f),
        }
    }
}

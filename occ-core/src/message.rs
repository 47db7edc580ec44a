//! What a check says when it fails: one wording for the macro, for constants and for run time.
//!
//! The first line says what fails, with both numbers. The lines after it start with `= note: ` (the cause, with its
//! arithmetic) and `= help: ` (what to write; every value in a help has been tried). Each file has its sentences first.

mod compiled;
mod grid;
mod help;
mod list;
mod numbers;
mod out_of_range;
mod refusal;
mod refused;
mod requirement;
mod sentence;
mod short;

pub use sentence::{Filled, Sentence, Value};
pub use short::BY_RESOURCE;

use crate::check::Check;
use crate::evaluation::Evaluation;
use crate::requirement::{Rule, Subject};
use crate::text::Text;
use crate::warps::lane_efficiency;
use sentence::NOTE;

const LANES_IDLE: Sentence<4> = Sentence::new("a block of {} takes {} of 32 lanes; {} of {} lanes have no thread");

impl Check<'_> {
    /// Returns why the launch does not satisfy a rule, with the cause and what to do: lines starting with `= note: `
    /// and `= help: ` after the first. Empty if it does.
    pub const fn explain(&self, rule: Rule) -> Text {
        self.evaluate().explain(rule)
    }

    /// Ends the evaluation of a constant with [`Check::explain`] as its error.
    ///
    /// # Panics
    ///
    /// Always: call it once [`Check::verdict`] fails.
    #[track_caller]
    pub const fn fail(&self, rule: Rule) -> ! {
        let text = self.explain(rule);
        panic!("{}", text.as_str())
    }
}

impl Evaluation<'_> {
    /// Returns why the launch does not satisfy a rule, as [`Check::explain`].
    pub const fn explain(&self, rule: Rule) -> Text {
        let mut text = Text::new();
        if self.verdict(rule).passes() {
            return text;
        }
        match (rule.subject(), self.out_of_range) {
            (_, Some(argument)) => out_of_range::out_of_range(&mut text, self.check, argument),
            (Subject::Launch, _) => {
                match self.refused {
                    Some(arch) => refused::refused(&mut text, self, arch),
                    None => short::short(&mut text, self),
                }
                compiled::sources(&mut text, self);
            }
            (Subject::Block(required), _) => {
                let threads = self.check.launch.threads();
                let reached = lane_efficiency(threads);
                requirement::missed_by_block(&mut text, &self.check.requirement, required, reached);
                let warps = threads.div_ceil(32) as u64;
                let idle = warps * 32 - threads as u64;
                let threads = Value::Count(threads as u64, "thread");
                let values = [threads, Value::Count(warps, "warp"), Value::Number(idle), Value::Number(warps * 32)];
                LANES_IDLE.write(text.str(NOTE), values);
            }
            (Subject::Grid(required), _) => grid::grid(&mut text, self, rule, required),
            (Subject::Ceiling(ceiling), _) => compiled::above_ceiling(&mut text, self, rule, ceiling),
            (Subject::CompiledMinBlocks, _) => compiled::below_compiled_minimum(&mut text, self),
        }
        let mut index = 0;
        while index < self.check.notes.len() {
            text.str(NOTE).str(self.check.notes[index]);
            index += 1;
        }
        help::help(&mut text, self, rule);
        text
    }
}

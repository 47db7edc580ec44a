//! Sentences as data: a template that stands once, filled in a constant or at run time.

use super::numbers::{above, above_bound, below, within};
use crate::arch::Arch;
use crate::block_limits::{BlockLimits, Resource};
use crate::text::Text;
use core::fmt;

/// Begins a line with a fact that explains a message.
pub(super) const NOTE: &str = "\n= note: ";

/// Begins a line with a change that helps.
pub(super) const HELP: &str = "\n= help: ";

/// A sentence with `{}` in the place of each of its values.
///
/// ```
/// use occ_core::internal::{Sentence, Text, Value};
///
/// const AXIS: Sentence<3> = Sentence::new("the block has {} along {}; the limit is {}");
///
/// // At run time, without a buffer:
/// let values = [Value::Count(128, "thread"), Value::Name("z"), Value::Number(64)];
/// assert_eq!(AXIS.with(values).to_string(), "the block has 128 threads along z; the limit is 64");
///
/// // The same in a constant:
/// const TEXT: Text = {
///     let mut text = Text::new();
///     AXIS.write(&mut text, [Value::Count(1, "thread"), Value::Name("z"), Value::Number(0)]);
///     text
/// };
/// assert_eq!(TEXT.as_str(), "the block has 1 thread along z; the limit is 0");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sentence<const N: usize>(&'static str);

/// A value in a sentence.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// A name, or a part of a sentence.
    Name(&'v str),
    /// A whole number.
    Number(u64),
    /// A number with its noun in singular: `1 block`, `2 blocks`; `more than 4294967294 blocks` where `u32::MAX` stands
    /// for every larger number.
    Count(u64, &'static str),
    /// A fraction of 1 in percent, with one decimal at most.
    Percent(f64),
    /// A percentage that is below the second one, and shown so.
    PercentBelow(f64, f64),
    /// A percentage that is required, with all its decimals.
    PercentRequired(f64),
    /// A percentage that is above the second one, and shown so.
    PercentAbove(f64, f64),
    /// A percentage that is allowed, with all its decimals.
    PercentAllowed(f64),
    /// A number that is below the second one, and shown so.
    Below(f64, f64),
    /// A number that is required, with all its decimals.
    Required(f64),
    /// A number that is above the second one, and shown so.
    Above(f64, f64),
    /// A number that is allowed, with all its decimals.
    Allowed(f64),
    /// Any number, with its sign and four decimals at most.
    Any(f64),
    /// Axes as the attribute takes them: `256`, `(16, 16)`, `(8, 8, 4)`.
    Axes([u32; 3]),
    /// Compute capabilities: `sm_80, sm_86 and sm_90`.
    Archs(&'v [Arch]),
    /// The block limit of each resource: `registers 1, warps 8, blocks 32`.
    Limits(&'v BlockLimits),
    /// The resources with the lowest block limit: `registers and warps`.
    Limiters(&'v BlockLimits),
}

impl<const N: usize> Sentence<N> {
    /// Makes a sentence from its template.
    ///
    /// # Panics
    ///
    /// If the template has not `N` places; in a constant this is a build error.
    pub const fn new(template: &'static str) -> Self {
        let mut places = 0;
        let mut rest = template.as_bytes();
        while let Some(at) = place(rest) {
            places += 1;
            rest = rest.split_at(at + 2).1;
        }
        assert!(places == N, "a sentence has as many places as values");
        Sentence(template)
    }

    /// Returns the sentence with its values, to be displayed.
    pub const fn with(self, values: [Value<'_>; N]) -> Filled<'_, N> {
        Filled { sentence: self, values }
    }

    /// Appends the sentence with its values to a text.
    pub const fn write<const CAPACITY: usize>(self, text: &mut Text<CAPACITY>, values: [Value<'_>; N]) {
        let mut rest = self.0.as_bytes();
        let mut next = 0;
        while let Some(at) = place(rest) {
            text.bytes(rest.split_at(at).0);
            values[next].write(text);
            next += 1;
            rest = rest.split_at(at + 2).1;
        }
        text.bytes(rest);
    }
}

/// Returns where the next `{}` begins.
const fn place(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b'{' && bytes[at + 1] == b'}' {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// A sentence with its values.
#[derive(Clone, Copy, Debug)]
pub struct Filled<'v, const N: usize> {
    sentence: Sentence<N>,
    values: [Value<'v>; N],
}

impl<const N: usize> fmt::Display for Filled<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = self.values.iter();
        for (index, part) in self.sentence.0.split("{}").enumerate() {
            if let (true, Some(value)) = (index > 0, values.as_slice().first()) {
                value.fmt(f)?;
                values.next();
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl Value<'_> {
    /// Appends the value to a text.
    pub const fn write<const CAPACITY: usize>(self, text: &mut Text<CAPACITY>) {
        match self {
            Value::Name(name) => text.str(name),
            Value::Number(number) => text.num(number),
            Value::Count(number, noun) => {
                if number == u32::MAX as u64 { text.str("more than ").num(number - 1) } else { text.num(number) }
                    .str(" ")
                    .str(noun)
                    .str(if number == 1 { "" } else { "s" })
            }
            Value::Percent(fraction) => text.percent(fraction, 1),
            Value::PercentBelow(fraction, required) => below(text, fraction * 100.0, required * 100.0).str("%"),
            Value::PercentRequired(required) => above(text, required * 100.0).str("%"),
            Value::PercentAbove(fraction, allowed) => above_bound(text, fraction * 100.0, allowed * 100.0).str("%"),
            Value::PercentAllowed(allowed) => within(text, allowed * 100.0).str("%"),
            Value::Below(number, required) => below(text, number, required),
            Value::Required(required) => above(text, required),
            Value::Above(number, allowed) => above_bound(text, number, allowed),
            Value::Allowed(allowed) => within(text, allowed),
            Value::Any(number) if number.is_nan() => text.str("NaN"),
            Value::Any(number) if number < 0.0 => text.str("-").decimal(-number, 4),
            Value::Any(number) if number > 1e15 => text.str("more than 1000000000000000"),
            Value::Any(number) => text.decimal(number, 4),
            Value::Axes(axes) => text.axes(axes),
            Value::Archs(archs) => {
                let mut index = 0;
                while index < archs.len() {
                    separate(text, index, archs.len());
                    text.str(archs[index].name());
                    index += 1;
                }
                text
            }
            Value::Limits(limits) => {
                let mut index = 0;
                let mut written = 0;
                while index < Resource::ALL.len() {
                    let resource = Resource::ALL[index];
                    index += 1;
                    if let Some(limit) = limits.of(resource) {
                        text.str(if written == 0 { "" } else { ", " }).str(resource.name()).str(" ").num(limit as u64);
                        written += 1;
                    }
                }
                text
            }
            Value::Limiters(limits) => {
                let mut index = 0;
                let mut written = 0;
                while index < Resource::ALL.len() {
                    let resource = Resource::ALL[index];
                    index += 1;
                    if limits.is_limiter(resource) {
                        text.str(if written == 0 { "" } else { " and " }).str(resource.name());
                        written += 1;
                    }
                }
                text
            }
        };
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Value::Name(name) = self {
            return f.write_str(name);
        }
        // Longer than any list of resources or of all capabilities.
        let mut text = Text::<512>::new();
        self.write(&mut text);
        f.write_str(text.as_str())
    }
}

/// Appends what stands before an item of a list: nothing, a comma, or `and` before the last.
pub(crate) const fn separate<const CAPACITY: usize>(text: &mut Text<CAPACITY>, index: usize, count: usize) {
    if index == 0 {
    } else if index + 1 == count {
        text.str(" and ");
    } else {
        text.str(", ");
    }
}

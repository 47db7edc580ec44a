//! Numbers that miss each other narrowly must not look equal.
//!
//! A number below what is required is rounded to the fewest decimals that still show it below; at nine decimals it is
//! rounded down and the other one up.

use crate::text::Text;

const FINEST: u32 = 9;

/// Appends a number below `required`, with enough decimals to show that it is.
pub(super) const fn below<const N: usize>(text: &mut Text<N>, value: f64, required: f64) -> &mut Text<N> {
    let mut decimals = if value < 1.0 { 4 } else { 1 };
    while decimals < FINEST && rounded(value, decimals) >= rounded(required, decimals) {
        decimals += 1;
    }
    if decimals == FINEST { text.decimal(value, FINEST) } else { exactly(text, rounded(value, decimals), decimals) }
}

/// Appends a required number with up to nine decimals.
pub(super) const fn above<const N: usize>(text: &mut Text<N>, required: f64) -> &mut Text<N> {
    let nearest = rounded(required, FINEST);
    let up = if nearest < required { nearest + 1e-9 } else { nearest };
    exactly(text, up, FINEST)
}

/// Appends a number above `allowed`, with enough decimals to show that it is.
pub(super) const fn above_bound<const N: usize>(text: &mut Text<N>, value: f64, allowed: f64) -> &mut Text<N> {
    let mut decimals = 1;
    while decimals < FINEST && rounded(value, decimals) <= rounded(allowed, decimals) {
        decimals += 1;
    }
    if decimals == FINEST { above(text, value) } else { exactly(text, rounded(value, decimals), decimals) }
}

/// Appends an allowed number with up to nine decimals.
pub(super) const fn within<const N: usize>(text: &mut Text<N>, allowed: f64) -> &mut Text<N> {
    text.decimal(allowed, FINEST)
}

/// Appends a number of at most so many decimals, without the error of its binary fraction.
const fn exactly<const N: usize>(text: &mut Text<N>, value: f64, decimals: u32) -> &mut Text<N> {
    text.decimal(value + 0.25 / power_of_ten(decimals), decimals)
}

/// Returns the nearest number with so many decimals.
const fn rounded(value: f64, decimals: u32) -> f64 {
    let scale = power_of_ten(decimals);
    (value * scale + 0.5) as u64 as f64 / scale
}

const fn power_of_ten(exponent: u32) -> f64 {
    let mut power = 1.0;
    let mut at = 0;
    while at < exponent {
        power *= 10.0;
        at += 1;
    }
    power
}

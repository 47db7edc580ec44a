//! Arithmetic on sizes that is quick in constants and at run time.

use core::num::NonZeroU32;

/// Returns the smaller of two numbers: `Ord::min` is not `const`.
#[inline(always)]
pub(crate) const fn min(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// Returns `value` rounded up to a multiple of `unit`, quickly for the powers of two of every real SM.
///
/// `value` is at most the product of two `u32`, so that nothing overflows.
#[inline(always)]
pub(crate) const fn round_up(value: u64, unit: NonZeroU32) -> u64 {
    let unit = unit.get() as u64;
    let low = unit - 1;
    if unit & low == 0 { (value + low) & !low } else { (value + low) / unit * unit }
}

/// Returns `value` ÷ `by`, rounded down, quickly for the powers of two of every real SM.
#[inline(always)]
pub(crate) const fn divide(value: u32, by: NonZeroU32) -> u32 {
    if by.is_power_of_two() { value >> by.trailing_zeros() } else { value / by.get() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_values_do_not_overflow() {
        const MAX: u64 = u32::MAX as u64;
        for unit in [1, 2, 3, 256, 257, 1 << 31, u32::MAX - 1, u32::MAX] {
            let unit = NonZeroU32::new(unit).unwrap();
            for value in [0, 1, 255, 256, MAX - 1, MAX, MAX + 1, MAX * MAX - 1, MAX * MAX] {
                assert_eq!(
                    Some(round_up(value, unit)),
                    value.checked_next_multiple_of(unit.get().into()),
                    "{value}, {unit}"
                );
                let value = value as u32;
                assert_eq!(divide(value, unit), value / unit, "{value}, {unit}");
            }
        }
    }
}

//! Lists in messages.

use std::fmt::Display;

/// Returns the items in backticks: `` `a`, `b` and `c` ``.
pub(crate) fn listed<T: Display>(items: &[T], conjunction: &str) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} {conjunction} `{last}`", quoted(first)),
        _ => quoted(items),
    }
}

/// Returns the first of `total` items: `` `a`, `b` and 3 more ``.
pub(crate) fn listed_of<T: Display>(items: &[T], total: usize) -> String {
    match total.saturating_sub(items.len()) {
        0 => listed(items, "and"),
        more => format!("{} and {more} more", quoted(items)),
    }
}

fn quoted<T: Display>(items: &[T]) -> String {
    items.iter().map(|item| format!("`{item}`")).collect::<Vec<_>>().join(", ")
}

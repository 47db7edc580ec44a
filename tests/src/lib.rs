//! What several tests share: the tests are in `tests/`, their data in `data/`.

/// Returns a value with some of its fields replaced, as `Type { field: value, ..base }` does for types that can grow.
#[macro_export]
macro_rules! with {
    ($base:expr, $($field:ident $(: $value:expr)?),* $(,)?) => {{
        let mut changed = $base;
        $($crate::with!(@ changed $field $($value)?);)*
        changed
    }};
    (@ $changed:ident $field:ident) => {
        $changed.$field = $field
    };
    (@ $changed:ident $field:ident $value:expr) => {
        $changed.$field = $value
    };
}

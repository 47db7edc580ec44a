//! The expansion: constants that the compiler evaluates.

mod checks;
mod generics;
mod parts;
mod spec;

pub(crate) use checks::compiler_checks;
pub(crate) use generics::{depends_on_generics, parameter_in};
pub(crate) use parts::respanned;
pub(crate) use spec::{spec, spec_value};

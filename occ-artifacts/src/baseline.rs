//! Baselines: the resources of kernels in a committed file, `kernels.occ.json`.

mod compare;
mod error;
mod file;
mod row;

pub use compare::{Change, Difference, Tolerance, compare};
pub use error::BaselineError;
pub use file::Baseline;

#[cfg(test)]
mod tests;

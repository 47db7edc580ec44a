//! Properties held against random values, whose seed is fixed: a run here is a run anywhere.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// Runs `test` on `cases` values of `strategy`.
pub(crate) fn check<S: Strategy>(cases: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x0cc),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if let Err(error) = TestRunner::new(config).run(strategy, test) {
        panic!("{error}");
    }
}

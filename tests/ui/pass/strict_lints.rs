//! Lints that are off by default, against what the attribute expands to in a user's crate.
#![deny(warnings, future_incompatible, nonstandard_style, rust_2018_idioms, unused, missing_docs, missing_debug_implementations)]
#![deny(unreachable_pub, unused_qualifications, unused_results, unused_lifetimes, single_use_lifetimes, let_underscore_drop)]
#![deny(absolute_paths_not_starting_with_crate, explicit_outlives_requirements, non_ascii_idents, trivial_casts)]
#![deny(trivial_numeric_casts, unused_import_braces, unused_macro_rules, variant_size_differences, redundant_lifetimes)]
#![deny(meta_variable_misuse, macro_use_extern_crate, keyword_idents, unused_crate_dependencies, unit_bindings)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::cargo)]
#![forbid(unsafe_code)]
#![allow(unused_crate_dependencies)]

use occ_runtime::launch_config;

/// Of a block.
pub const BLOCK: u32 = 256;

/// Known to the macro.
#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 40, spec = LITERAL)]
pub fn literal() {}

/// Known to the compiler.
#[launch_config(
    arch = "sm_80",
    gpu = "GeForce RTX 4090",
    min_occupancy = 0.5,
    min_waves = 1,
    block = (BLOCK / 2, { 1 + 1 }),
    dynamic_smem = (size_of::<u8>() as u32 * BLOCK),
    registers = 40,
    grid = BLOCK * 16,
    carveout = 50,
    spec = CONSTANT
)]
pub fn constant() {}

/// A launch.
#[derive(Debug)]
#[launch_config(arch = "sm_80", block = BLOCK, registers = 40)]
pub struct Saxpy;

impl Saxpy {
    const BLOCK: u32 = 64;

    /// Known in the end.
    #[launch_config(arch = "sm_80", block = Self::BLOCK, registers = 40, spec = STEP)]
    pub fn step() {}

    /// Known to the caller.
    #[launch_config(arch = "sm_80", block = N, registers = 40, instances(N = [64, 128]))]
    pub fn generic<const N: u32>() {}
}

fn main() {
    literal();
    constant();
    Saxpy::step();
    Saxpy::generic::<64>();
    assert_eq!(LITERAL.shape().threads(), CONSTANT.shape().threads());
    assert_eq!(Saxpy::SPEC.shape().threads(), 256);
    assert_eq!(Saxpy::STEP.shape().threads(), 64);
}

//! Checked launch configurations.
#![no_std]
pub use occ_core::*;

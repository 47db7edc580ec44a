//! What must hold for every input, tried on many: random launches, random SMs, and values no launch has.
//!
//! The seeds are fixed and nothing is written to disk, so every run tries the same values.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod advice;
mod inverse;
mod launches;
mod never_panics;
#[path = "../random/mod.rs"]
mod random;
mod wild;

//! Cubins and fatbins put together byte by byte. What is expected of them was printed by NVIDIA's tools for real ones:
//! the logs of `ptxas`, `cuobjdump -res-usage` and `nvlink -v`, as the comments say.
#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod build;
mod cubin;
mod damage;
mod fatbin;

//! What the guard asks of a CUDA driver, and changes in it.
//!
//! [`Driver`] is the boundary: [`Cuda`] implements it for the driver of this machine, and so can another binding or a
//! test double. Everything above it is safe code that sees integers.

mod attributes;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod checked;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod cuda;
mod error;
mod interface;
#[cfg(any(feature = "cust", feature = "loaded"))]
mod raw;

pub use attributes::{DeviceAttribute, FunctionAttribute};
#[cfg(any(feature = "cust", feature = "loaded"))]
pub use cuda::Cuda;
pub use error::DriverError;
pub use interface::{ClusterLaunch, Device, Driver, Function, Launched};

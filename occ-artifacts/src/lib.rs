#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "baseline")]
mod baseline;
mod budget;
#[cfg(feature = "build")]
#[cfg_attr(docsrs, doc(cfg(feature = "build")))]
pub mod build;
mod bytes;
mod compression;
mod cubin;
mod error;
mod fatbin;
mod find;
#[cfg(feature = "containers")]
mod host;
mod image;
mod images;
mod list;
mod merge;
mod names;
mod origin;
#[cfg(feature = "containers")]
mod parallel;
mod quantity;
mod read;
mod select;
mod target;
#[cfg(feature = "text")]
mod text;

#[cfg(feature = "baseline")]
#[cfg_attr(docsrs, doc(cfg(feature = "baseline")))]
pub use baseline::{Baseline, BaselineError, Change, Difference, Tolerance, compare};
pub use occ_core::{Code, Launch, LaunchBounds, Portability};

pub use error::{Error, Problem};
pub use find::{NameError, find};
pub use image::{Bounds, KernelImage, Spills, Stack, TensorMemory};
pub use merge::{Contradiction, merge};
pub use origin::{Format, Origin, Toolkit};
pub use quantity::Quantity;
pub use read::{read, read_machine_code};
pub use select::{TargetError, select_image};
pub use target::CodeTarget;

//! Reads fatbins: containers of cubins, PTX and link-time code, with one entry for each target.

#[cfg(feature = "containers")]
mod compressed;
mod entry;
#[cfg(not(feature = "containers"))]
mod plain;

#[cfg(feature = "containers")]
pub(crate) use compressed::read;
pub(crate) use entry::{MAGIC, Section};
#[cfg(not(feature = "containers"))]
pub(crate) use plain::read;

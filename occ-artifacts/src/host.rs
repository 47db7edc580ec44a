//! STUB: host files are read by another part of this crate.

use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::images::Images;

/// Adds the kernels of a host file. Returns whether there is link-time code too.
pub(crate) fn read(_: Bytes<'_>, _: &mut Images<'_>) -> Result<bool, Error> {
    Err(Error::new(0, Problem::UnknownFormat))
}

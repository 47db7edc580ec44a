//! The memory that reading a file may take: sizes declared in the file are not trusted.

use crate::error::{Error, Problem};
use std::sync::atomic::{AtomicU64, Ordering};

/// The memory that may still be taken, initially 4 × the file size + 32 MiB. All threads that read a file share it.
pub(crate) struct Budget {
    left: AtomicU64,
    /// Bytes that may still be decompressed in total, so that the time is bounded by the file size and not by sizes that the
    /// file declares.
    #[cfg(feature = "containers")]
    decompressed: AtomicU64,
}

/// The decompressed size allowed per byte of the file, and on top of that. Compiled code was seen to compress to 1/70.
#[cfg(feature = "containers")]
const DECOMPRESSED: (u64, u64) = (256, 64 << 20);

impl Budget {
    pub(crate) fn for_file(bytes: usize) -> Self {
        let bytes = bytes as u64;
        Budget {
            left: AtomicU64::new(bytes.saturating_mul(4).saturating_add(32 << 20)),
            #[cfg(feature = "containers")]
            decompressed: AtomicU64::new(bytes.saturating_mul(DECOMPRESSED.0).saturating_add(DECOMPRESSED.1)),
        }
    }

    /// Returns the bytes that may still be taken.
    #[cfg(feature = "containers")]
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes memory permanently.
    pub(crate) fn take(&self, bytes: u64, offset: u64, what: &'static str) -> Result<(), Error> {
        take_from(&self.left, bytes, offset, what)
    }

    /// Takes memory until the reservation is dropped.
    pub(crate) fn reserve(&self, bytes: u64, offset: u64, what: &'static str) -> Result<Reservation<'_>, Error> {
        self.take(bytes, offset, what)?;
        Ok(Reservation { budget: self, bytes })
    }

    /// Counts decompressed bytes.
    #[cfg(feature = "containers")]
    pub(crate) fn decompress(&self, bytes: u64, offset: u64) -> Result<(), Error> {
        take_from(&self.decompressed, bytes, offset, "the decompressed data")
    }

    /// Returns the state for [`Budget::restore`].
    #[cfg(feature = "containers")]
    pub(crate) fn state(&self) -> (u64, u64) {
        (self.left(), self.decompressed.load(Ordering::Relaxed))
    }

    /// Restores an earlier state.
    #[cfg(feature = "containers")]
    pub(crate) fn restore(&self, (left, decompressed): (u64, u64)) {
        self.left.store(left, Ordering::Relaxed);
        self.decompressed.store(decompressed, Ordering::Relaxed);
    }
}

fn take_from(left: &AtomicU64, bytes: u64, offset: u64, what: &'static str) -> Result<(), Error> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
        .map(|_| ())
        .map_err(|_| Error::new(offset, Problem::TooLarge { what, bytes }))
}

/// Memory that is returned to the budget on drop.
pub(crate) struct Reservation<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

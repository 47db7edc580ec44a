//! How much memory reading may take: no size declared in a file is believed.

use crate::error::{Error, Problem};
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that may still be taken: 4 × the file + 32 MiB at first. Shared by all threads that read one file.
pub(crate) struct Budget {
    left: AtomicU64,
    /// Bytes that may still be decompressed, together: so that the time taken grows with the file, and not with what is
    /// declared in it.
    #[cfg(feature = "containers")]
    decompressed: AtomicU64,
}

/// Bytes a file may be decompressed to for each of its own, and besides. Compilers' code was seen to shrink to a 70th.
#[cfg(feature = "containers")]
const DECOMPRESSED: (u64, u64) = (256, 64 << 20);

impl Budget {
    pub(crate) fn of_file(bytes: usize) -> Self {
        let bytes = bytes as u64;
        Budget {
            left: AtomicU64::new(bytes.saturating_mul(4).saturating_add(32 << 20)),
            #[cfg(feature = "containers")]
            decompressed: AtomicU64::new(bytes.saturating_mul(DECOMPRESSED.0).saturating_add(DECOMPRESSED.1)),
        }
    }

    /// Bytes that may still be taken.
    #[cfg(feature = "containers")]
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes memory for good.
    pub(crate) fn take(&self, bytes: u64, offset: u64, what: &'static str) -> Result<(), Error> {
        take_from(&self.left, bytes, offset, what)
    }

    /// Takes memory until what is returned is dropped.
    pub(crate) fn hold(&self, bytes: u64, offset: u64, what: &'static str) -> Result<Held<'_>, Error> {
        self.take(bytes, offset, what)?;
        Ok(Held { budget: self, bytes })
    }

    /// Counts bytes that are decompressed.
    #[cfg(feature = "containers")]
    pub(crate) fn decompress(&self, bytes: u64, offset: u64) -> Result<(), Error> {
        take_from(&self.decompressed, bytes, offset, "all that is compressed")
    }

    /// How it stands, to go back to.
    #[cfg(feature = "containers")]
    pub(crate) fn state(&self) -> (u64, u64) {
        (self.left(), self.decompressed.load(Ordering::Relaxed))
    }

    /// Goes back to how it stood.
    #[cfg(feature = "containers")]
    pub(crate) fn restore(&self, (left, decompressed): (u64, u64)) {
        self.left.store(left, Ordering::Relaxed);
        self.decompressed.store(decompressed, Ordering::Relaxed);
    }

    /// Gives memory back that was taken.
    fn give_back(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

fn take_from(left: &AtomicU64, bytes: u64, offset: u64, what: &'static str) -> Result<(), Error> {
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
        .map(|_| ())
        .map_err(|_| Error::new(offset, Problem::TooLarge { what, bytes }))
}

/// Memory that is given back when this is dropped.
pub(crate) struct Held<'b> {
    budget: &'b Budget,
    bytes: u64,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

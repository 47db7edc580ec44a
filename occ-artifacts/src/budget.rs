//! How much memory reading may take: no size declared in a file is believed.

use crate::error::{Error, Problem};
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that may still be taken: 4 × the file + 16 MiB at first. Shared by all threads that read one file.
pub(crate) struct Budget {
    left: AtomicU64,
}

impl Budget {
    pub(crate) fn of_file(bytes: usize) -> Self {
        Budget { left: AtomicU64::new((bytes as u64).saturating_mul(4).saturating_add(16 << 20)) }
    }

    /// Bytes that may still be taken.
    #[cfg(feature = "containers")]
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes memory for good.
    pub(crate) fn take(&self, bytes: u64, offset: u64, what: &'static str) -> Result<(), Error> {
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes))
            .map(|_| ())
            .map_err(|_| Error::new(offset, Problem::TooLarge { what, bytes }))
    }

    /// Gives memory back that was taken.
    #[cfg(feature = "containers")]
    pub(crate) fn give_back(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

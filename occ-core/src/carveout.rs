//! The division of on-chip memory between shared memory and L1 cache: what is asked for, and what an SM can choose.

/// How shared memory and L1 cache are asked to divide the on-chip memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Carveout {
    /// No preference: as much shared memory as there is.
    #[default]
    Default,
    /// Percent of the SM's shared memory, 0 to 100 (7.0 and later; without effect before). 0 is
    /// `CU_SHAREDMEM_CARVEOUT_MAX_L1`, 100 is `CU_SHAREDMEM_CARVEOUT_MAX_SHARED`.
    Percent(u8),
    /// `CU_FUNC_CACHE_PREFER_SHARED`, on 7.0 and later the same as 100 %.
    PreferShared,
    /// `CU_FUNC_CACHE_PREFER_L1`, on 7.0 and later the same as 0 %.
    PreferL1,
    /// `CU_FUNC_CACHE_PREFER_EQUAL`, on 7.0 and later the same as 50 %.
    PreferEqual,
}

impl Carveout {
    /// Returns the preference in percent of the SM's shared memory, or `None` without one.
    ///
    /// ```
    /// use occ_core::Carveout;
    ///
    /// assert_eq!(Carveout::PreferEqual.percent(), Some(50));
    /// assert_eq!(Carveout::Default.percent(), None);
    /// ```
    #[inline]
    pub const fn percent(self) -> Option<u32> {
        match self {
            Carveout::Default => None,
            Carveout::Percent(percent) => Some(percent as u32),
            Carveout::PreferShared => Some(100),
            Carveout::PreferL1 => Some(0),
            Carveout::PreferEqual => Some(50),
        }
    }
}

/// How an SM divides its on-chip memory between shared memory and L1 cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum SmemSplit {
    /// Shared memory has a memory of its own (5.x, 6.x, and an SM built by hand).
    Fixed,
    /// The cache configuration chooses the size (3.x). Bytes for `PreferL1`, `PreferEqual` and `PreferShared`.
    CacheConfig([u32; 3]),
    /// A preference is rounded up to the next of these sizes in bytes, ascending (7.0 and later).
    Carveouts(&'static [u32]),
}

impl SmemSplit {
    /// Returns the shared memory in bytes that a preference chooses, of an SM that has at most `most`.
    #[inline(always)]
    pub(crate) const fn preferred(&self, most: u32, carveout: Carveout) -> u32 {
        match *self {
            SmemSplit::Fixed => most,
            SmemSplit::CacheConfig([prefer_l1, prefer_equal, _]) => match carveout {
                Carveout::PreferL1 => prefer_l1,
                Carveout::PreferEqual => prefer_equal,
                _ => most,
            },
            SmemSplit::Carveouts(sizes) => {
                let Some(percent) = carveout.percent() else {
                    return most;
                };
                let bytes = most as u64 * percent as u64 / 100;
                next_size(sizes, most, if bytes > most as u64 { most } else { bytes as u32 })
            }
        }
    }

    /// Returns the shared memory in bytes of an SM whose preference is too small for a block of `bytes`: just enough
    /// for the block where that can be chosen.
    #[inline(always)]
    pub(crate) const fn raised(&self, most: u32, bytes: u32) -> u32 {
        match *self {
            SmemSplit::Fixed | SmemSplit::CacheConfig(_) => most,
            SmemSplit::Carveouts(sizes) => next_size(sizes, most, bytes),
        }
    }
}

/// Returns the smallest size that holds `bytes`, or `most` where none does.
#[inline(always)]
const fn next_size(sizes: &[u32], most: u32, bytes: u32) -> u32 {
    let mut next = most;
    let mut at = sizes.len();
    while at > 0 {
        at -= 1;
        next = if sizes[at] >= bytes { sizes[at] } else { next };
    }
    next
}

//! The division of on-chip memory between shared memory and L1 cache: preferences, and the sizes of an SM.

/// A preference for the division of on-chip memory between shared memory and L1 cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Carveout {
    /// No preference: as much shared memory as there is.
    #[default]
    Default,
    /// Percentage of the SM's shared memory, 0 to 100. No effect before 7.0.
    ///
    /// 0 is `CU_SHAREDMEM_CARVEOUT_MAX_L1`, 100 is `CU_SHAREDMEM_CARVEOUT_MAX_SHARED`.
    Percent(u8),
    /// `CU_FUNC_CACHE_PREFER_SHARED`, on 7.0 and later the same as 100%.
    PreferShared,
    /// `CU_FUNC_CACHE_PREFER_L1`, on 7.0 and later the same as 0%.
    PreferL1,
    /// `CU_FUNC_CACHE_PREFER_EQUAL`, on 7.0 and later the same as 50%.
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
    /// Shared memory separate from L1 cache (5.x, 6.x, and SMs built by hand).
    Fixed,
    /// Sizes in bytes for `PreferL1`, `PreferEqual` and `PreferShared` (3.x).
    CacheConfig([u32; 3]),
    /// Sizes in bytes, ascending, to the next of which a preference is rounded up (7.0 and later).
    Carveouts(&'static [u32]),
}

impl SmemSplit {
    /// Returns the shared memory in bytes that a preference chooses, of an SM with at most `max`.
    #[inline(always)]
    pub(crate) const fn preferred(&self, max: u32, carveout: Carveout) -> u32 {
        match *self {
            SmemSplit::Fixed => max,
            SmemSplit::CacheConfig([prefer_l1, prefer_equal, _]) => match carveout {
                Carveout::PreferL1 => prefer_l1,
                Carveout::PreferEqual => prefer_equal,
                _ => max,
            },
            SmemSplit::Carveouts(sizes) => {
                let Some(percent) = carveout.percent() else {
                    return max;
                };
                let bytes = max as u64 * percent as u64 / 100;
                next_size(sizes, max, if bytes > max as u64 { max } else { bytes as u32 })
            }
        }
    }

    /// Returns the shared memory in bytes of an SM whose preference is too small for a block of `bytes`: just enough
    /// for the block where that can be chosen.
    #[inline(always)]
    pub(crate) const fn raised(&self, max: u32, bytes: u32) -> u32 {
        match *self {
            SmemSplit::Fixed | SmemSplit::CacheConfig(_) => max,
            SmemSplit::Carveouts(sizes) => next_size(sizes, max, bytes),
        }
    }
}

/// Returns the smallest size that holds `bytes`, or `max` where none does.
#[inline(always)]
const fn next_size(sizes: &[u32], max: u32, bytes: u32) -> u32 {
    let mut next = max;
    let mut at = sizes.len();
    while at > 0 {
        at -= 1;
        next = if sizes[at] >= bytes { sizes[at] } else { next };
    }
    next
}

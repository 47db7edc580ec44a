//! A grid on a GPU: waves and their tail, clusters.

/// How a grid is distributed over a GPU, wave after wave.
///
/// A wave is one round of resident blocks over all SMs. The tail is the last wave, if it is not full. All blocks are
/// assumed to take equally long.
///
/// ```
/// use occ_core::Waves;
///
/// // 80 SMs × 8 resident blocks = 640 slots.
/// let waves = Waves::new(2000, 8, 80).unwrap();
/// assert_eq!(waves.count(), 4);
/// assert_eq!(waves.tail_blocks(), 80);
/// assert_eq!(waves.tail_sms_packed(), 10); // 8 blocks on each of 10 SMs, 70 idle
/// assert_eq!(waves.tail_sms_spread(), 80); // one block on each SM, as hardware distributes them
///
/// // A single wave that leaves half of the SMs idle.
/// let waves = Waves::new(40, 8, 80).unwrap();
/// assert_eq!((waves.count(), waves.idle_sms()), (1, 40));
/// assert_eq!(waves.gpu_utilisation(), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Waves {
    blocks: u64,
    blocks_per_sm: u32,
    sm_count: u32,
}

impl Waves {
    /// Returns the waves of `blocks` blocks on `sm_count` SMs that hold `blocks_per_sm` each, or `None` if any of them
    /// is 0.
    pub const fn new(blocks: u64, blocks_per_sm: u32, sm_count: u32) -> Option<Waves> {
        if blocks == 0 || blocks_per_sm == 0 || sm_count == 0 {
            return None;
        }
        Some(Waves { blocks, blocks_per_sm, sm_count })
    }

    /// Returns the blocks of the grid, at least 1.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns the resident blocks per SM, at least 1.
    pub const fn blocks_per_sm(&self) -> u32 {
        self.blocks_per_sm
    }

    /// Returns the SMs of the GPU, at least 1.
    pub const fn sm_count(&self) -> u32 {
        self.sm_count
    }

    /// Returns the blocks that the GPU holds at once.
    pub const fn slots(&self) -> u64 {
        self.blocks_per_sm as u64 * self.sm_count as u64
    }

    /// Returns the number of waves, with the tail as one.
    pub const fn count(&self) -> u64 {
        self.blocks.div_ceil(self.slots())
    }

    /// Returns the number of full waves.
    pub const fn full(&self) -> u64 {
        self.blocks / self.slots()
    }

    /// Returns blocks ÷ slots: the waves with their fraction, as profilers report them.
    pub const fn exact(&self) -> f64 {
        self.blocks as f64 / self.slots() as f64
    }

    /// Returns the blocks of the tail; 0 if the last wave is full.
    pub const fn tail_blocks(&self) -> u64 {
        self.blocks % self.slots()
    }

    /// Returns the SMs that the tail occupies if each is filled before the next; 0 without a tail.
    pub const fn tail_sms_packed(&self) -> u32 {
        // At most `sm_count`, since the tail is less than a full wave.
        self.tail_blocks().div_ceil(self.blocks_per_sm as u64) as u32
    }

    /// Returns the SMs that the tail occupies if each gets one block first, as on hardware; 0 without a tail.
    pub const fn tail_sms_spread(&self) -> u32 {
        let tail = self.tail_blocks();
        if tail < self.sm_count as u64 { tail as u32 } else { self.sm_count }
    }

    /// Returns the share of slots that are empty in the last wave, 0.0 to 1.0.
    pub const fn tail_idle(&self) -> f64 {
        match self.tail_blocks() {
            0 => 0.0,
            tail => (self.slots() - tail) as f64 / self.slots() as f64,
        }
    }

    /// Returns the SMs that never get a block if each gets one block first.
    pub const fn idle_sms(&self) -> u32 {
        if self.blocks < self.sm_count as u64 { self.sm_count - self.blocks as u32 } else { 0 }
    }

    /// Returns the share of SMs that get a block at all, above 0.0 and at most 1.0.
    pub const fn gpu_utilisation(&self) -> f64 {
        (self.sm_count - self.idle_sms()) as f64 / self.sm_count as f64
    }
}

/// Returns an upper bound on the clusters of `blocks_per_cluster` blocks that a GPU holds at once; 0 if any argument is
/// 0.
///
/// It is only a bound: a cluster occupies one group of SMs, and the sizes of these groups differ from die to die. On a
/// device, ask `cuOccupancyMaxActiveClusters`.
///
/// ```
/// use occ_core::cluster_upper_bound;
///
/// // An H100 with two blocks on each of its 132 SMs has room for 33 clusters of 8. A public measurement found 17.
/// assert_eq!(cluster_upper_bound(2, 132, 8), 33);
/// ```
pub const fn cluster_upper_bound(blocks_per_sm: u32, sm_count: u32, blocks_per_cluster: u32) -> u64 {
    if blocks_per_cluster == 0 {
        return 0;
    }
    blocks_per_sm as u64 * sm_count as u64 / blocks_per_cluster as u64
}

//! [`OccupancyMap`]: blocks per SM for every block size and register count at once.

use crate::allocation::{allocation, registers_per_warp};
use crate::arithmetic::min;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::limits::SmLimits;
use crate::refusal::refusal;

/// The blocks per SM for every block size (1..=1024 threads) and every register count (1..=255).
///
/// Only the points that can differ are computed: from warp to warp, and from one register allocation to the next.
///
/// ```
/// use occ_core::{Arch, Kernel, Launch, OccupancyMap};
///
/// let map = OccupancyMap::new(Arch::SM_80.limits(), &Kernel::new(), &Launch::new(1)).unwrap();
/// assert_eq!(map.blocks_per_sm(256, 168), Some(1));
/// assert_eq!(map.blocks_per_sm(512, 162), Some(0)); // refused
/// assert_eq!(map.blocks_per_sm(2048, 32), None); // not on the map
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccupancyMap {
    /// Blocks per SM by warps and registers: all block sizes with the same number of warps share a row.
    rows: [[u8; Self::REGISTERS]; Self::WARPS],
    /// Maximum threads per block.
    max_threads: u32,
}

impl OccupancyMap {
    const WARPS: usize = 32;
    const REGISTERS: usize = 256;

    /// Returns the map of `kernel` and `launch`, or `None` for an SM built by hand whose warps do not have 32 threads.
    ///
    /// The registers, the block, and [`Kernel::bounds`] do not matter; [`Kernel::max_threads`] does. A launch that
    /// cannot run has 0 blocks. More than 255 blocks, which no real SM holds, count as 255.
    pub const fn new(sm: &SmLimits, kernel: &Kernel, launch: &Launch) -> Option<Self> {
        if sm.warp_size.get() != 32 {
            return None;
        }
        let mut bound = min(sm.max_threads_per_block, sm.max_block_axes[0]);
        if let Some(threads) = kernel.max_threads {
            bound = min(bound, threads);
        }
        let mut map = OccupancyMap { rows: [[0; Self::REGISTERS]; Self::WARPS], max_threads: bound };
        let mut warps = 0;
        while warps < Self::WARPS {
            let threads = (warps as u32 + 1) * 32;
            let threads = if threads < bound { threads } else { bound };
            let launch = Launch { block: [threads, 1, 1], ..*launch };
            let mut registers = 1;
            while registers < Self::REGISTERS {
                let kernel = Kernel { registers: Some(registers as u32), bounds: None, ..*kernel };
                let given = allocation(sm, &kernel, &launch);
                let blocks = given.limits.lowest();
                let blocks = match refusal(sm, &kernel, &launch, &given, blocks) {
                    Some(_) => 0,
                    None if blocks > 255 => 255,
                    None => blocks as u8,
                };
                // Every register count that is rounded up to the same allocation has the same answer.
                let per_warp = registers_per_warp(sm, registers as u32);
                map.rows[warps][registers] = blocks;
                registers += 1;
                while registers < Self::REGISTERS
                    && registers as u32 <= sm.max_registers_per_thread
                    && registers_per_warp(sm, registers as u32) == per_warp
                {
                    map.rows[warps][registers] = blocks;
                    registers += 1;
                }
            }
            warps += 1;
        }
        Some(map)
    }

    /// Returns the blocks per SM with `threads` threads per block and `registers` registers per thread.
    ///
    /// Returns 0 if that cannot run, and `None` outside of 1..=1024 threads and 1..=255 registers.
    pub const fn blocks_per_sm(&self, threads: u32, registers: u32) -> Option<u32> {
        if threads == 0 || threads > 1024 || registers == 0 || registers > 255 {
            return None;
        }
        if threads > self.max_threads {
            return Some(0);
        }
        Some(self.rows[(threads as usize - 1) / 32][registers as usize] as u32)
    }

    /// Writes the blocks per SM into `into[(threads - 1) * 255 + registers - 1]`.
    pub fn fill(&self, into: &mut [u8; 1024 * 255]) {
        for (at, row) in into.chunks_exact_mut(255).enumerate() {
            let threads = at as u32 + 1;
            match self.rows.get(at / 32) {
                Some(known) if threads <= self.max_threads => row.copy_from_slice(&known[1..]),
                _ => row.fill(0),
            }
        }
    }
}

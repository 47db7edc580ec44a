//! Random launches, often at an edge: near a limit, an allocation unit or a size of shared memory.

use crate::vector::{Case, Device, NONE};
use occ_core::{SmLimits, SmemSplit};

/// Random number generator (xorshift64*): the same seed gives the same launches.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        // The constant spreads neighbouring seeds; a state of 0 would stay 0.
        Random((seed ^ 0x9e37_79b9_7f4a_7c15).max(1))
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// Returns a number below `end`.
    fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }

    /// Returns a number in `from..=to`.
    fn between(&mut self, from: u32, to: u32) -> u32 {
        from + self.below(to - from + 1)
    }

    /// Returns true once in `times` calls on average.
    fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// Returns `value`, one less or one more.
    fn around(&mut self, value: u32) -> u32 {
        (value + self.below(3)).saturating_sub(1)
    }

    /// Returns a launch on one of `devices`.
    pub(crate) fn case(&mut self, devices: &[Device]) -> Case {
        let device = self.below(devices.len() as u32);
        self.case_on(device, &devices[device as usize].limits)
    }

    /// Returns a launch on the device with index `device` and the limits `sm`.
    pub(crate) fn case_on(&mut self, device: u32, sm: &SmLimits) -> Case {
        let smem = self.smem(sm);
        let static_smem = match self.below(4) {
            0 => smem,
            1 => self.below(smem + 1),
            _ => 0,
        };
        Case {
            device,
            threads: self.threads(),
            registers: match self.below(16) {
                0 => NONE,
                1..8 => {
                    let whole = self.between(0, 32) * 8;
                    self.around(whole)
                }
                _ => self.between(0, 260),
            },
            static_smem,
            // Sometimes more than 31 bits hold.
            dynamic_smem: if self.once_in(1024) { self.next() } else { smem - static_smem },
            optin: u32::from(!self.once_in(4)),
            carveout: match self.below(3) {
                0 => 101,
                1 => self.between(102, 104),
                _ => self.between(0, 100),
            },
            barriers: match self.below(32) {
                0..16 => 1,
                16..31 => self.between(0, 16),
                _ => self.between(17, 20),
            },
            virtual_resources: match self.below(8) {
                0 => 128,
                1 => self.between(0, 200),
                _ => 0,
            },
            l1_caching: self.below(2),
            max_threads: if self.once_in(8) { self.threads() } else { NONE },
            smem_per_block: if self.once_in(2) { 0 } else { self.smem(sm) },
            smem_per_thread: if self.once_in(8) { 0 } else { self.between(1, 256) },
            blocks: if self.once_in(4) { self.between(0, 33) } else { self.between(1, 6) },
        }
    }

    fn threads(&mut self) -> u32 {
        if self.once_in(2) {
            return self.between(1, 1100);
        }
        let warps = self.between(1, 32);
        self.around(warps * 32)
    }

    /// Returns bytes of shared memory, mostly near a value that decides how many blocks fit.
    fn smem(&mut self, sm: &SmLimits) -> u32 {
        let edge = match self.below(12) {
            0..3 => return 0,
            3 => sm.smem_per_block,
            4 => sm.smem_per_block_optin,
            5 => sm.smem_per_sm,
            6 => {
                let blocks = self.between(1, 32);
                sm.smem_per_sm / blocks
            }
            7 => 1 << self.between(0, 19),
            8 => sm.smem_allocation_unit.get() * self.below(512),
            9 => match sm.smem_split {
                SmemSplit::CacheConfig(sizes) => sizes[self.below(3) as usize],
                SmemSplit::Carveouts(sizes) => sizes[self.below(sizes.len() as u32) as usize],
                _ => sm.smem_per_sm,
            },
            _ => return self.below(sm.smem_per_sm + 4096),
        };
        let edge = self.around(edge);
        match self.below(4) {
            0 => edge.saturating_sub(sm.smem_reserved_per_block),
            1 => edge.saturating_sub(sm.smem_allocation_unit.get()),
            2 => edge + sm.smem_allocation_unit.get(),
            _ => edge,
        }
    }
}

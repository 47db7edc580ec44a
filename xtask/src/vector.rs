//! A question to NVIDIA's header and to the model, both answers, and the documented differences.
//!
//! The oracle asks the header with it; the golden test reads recorded answers with it.

use occ_core::{
    Arch, BlockSmem, Carveout, Kernel, Launch, Resource, SmLimits, allocation, available_dynamic_smem, best_block_size,
    best_block_size_for, occupancy,
};

/// No limit, not known, no answer.
pub(crate) const NONE: u32 = u32::MAX;

/// Available shared memory that the header answers where its own wraps below 0: the cap of the question.
const WRAPPED_AVAILABLE: u32 = 1 << 30;

/// An SM that questions are about: a capability, or a mode that changes its limits.
pub(crate) struct Device {
    pub(crate) name: String,
    pub(crate) arch: Arch,
    pub(crate) limits: SmLimits,
}

impl Device {
    pub(crate) fn all() -> Vec<Device> {
        let mut all = Vec::new();
        for arch in Arch::ALL {
            let limits = *arch.limits();
            all.push(Device { name: arch.name().to_owned(), arch, limits });
            if let Some(limits) = limits.oversized_smem() {
                all.push(Device { name: format!("{arch}_oversized"), arch, limits });
            }
        }
        all
    }

    /// Returns the properties that a driver would report: all that the header gets from our table.
    pub(crate) fn properties(&self) -> [u32; 11] {
        let sm = &self.limits;
        [
            self.arch.major(),
            self.arch.minor(),
            sm.max_threads_per_block,
            sm.max_threads_per_sm(),
            sm.registers_per_block,
            sm.registers_per_sm,
            sm.warp_size.get(),
            sm.smem_per_block,
            sm.smem_per_sm,
            sm.smem_per_block_optin,
            sm.smem_reserved_per_block,
        ]
    }
}

/// Declares a struct of 32-bit words, which convert to and from a row.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: u32,)*
        }

        impl $name {
            pub(crate) const NAMES: &[&str] = &[$(stringify!($field)),*];
            pub(crate) const WORDS: usize = Self::NAMES.len();

            #[allow(dead_code, reason = "only the golden test reads questions back")]
            pub(crate) fn from_words([$($field),*]: [u32; Self::WORDS]) -> Self {
                $name { $($field),* }
            }

            pub(crate) fn words(&self) -> [u32; Self::WORDS] {
                [$(self.$field),*]
            }
        }
    };
}

row! {
    /// A launch, and what the searches around it need.
    Case {
        /// Index in [`Device::all`].
        device,
        threads,
        /// Registers per thread, [`NONE`] if unknown.
        registers,
        static_smem,
        dynamic_smem,
        /// 1 if the function's limit was raised to the dynamic shared memory of the launch.
        optin,
        /// Percent from 0 to 100; 101 to 104 mean no preference, shared memory, L1 and equal.
        carveout,
        barriers,
        virtual_resources,
        l1_caching,
        /// The kernel's maximum threads per block, [`NONE`] if it has none.
        max_threads,
        /// In the search with linear dynamic shared memory: bytes per block.
        smem_per_block,
        /// In the same search: bytes per thread.
        smem_per_thread,
        /// Blocks that must fit beside the available dynamic shared memory.
        blocks,
    }
}

row! {
    /// An answer, in the order of the header.
    Answer {
        warps,
        blocks,
        registers,
        smem,
        barriers,
        virtual_resources,
        /// Blocks per SM, 0 if the launch cannot run.
        active,
        /// One bit for each limiting resource, as in the header.
        limiters,
        registers_per_block,
        smem_per_block,
        l1_caching,
        /// Shared memory of the SM by the preference alone, in bytes.
        smem_preferred,
        /// The same, raised if it cannot hold one block.
        smem_per_sm,
        /// Best block size, 0 if none runs.
        best_threads,
        best_blocks,
        linear_threads,
        linear_blocks,
        /// Available dynamic shared memory in bytes, [`NONE`] if that many blocks do not fit.
        available,
    }
}

impl Case {
    pub(crate) fn kernel(&self) -> Kernel {
        let mut kernel = Kernel::new()
            .static_smem(self.static_smem)
            .barriers(self.barriers)
            .virtual_resources(self.virtual_resources)
            .l1_caching(self.l1_caching != 0);
        kernel.registers = known(self.registers);
        kernel.max_threads = known(self.max_threads);
        kernel
    }

    pub(crate) fn launch(&self) -> Launch {
        Launch::new(self.threads).dynamic_smem(self.dynamic_smem).smem_optin(self.optin != 0).carveout(
            match self.carveout {
                102 => Carveout::PreferShared,
                103 => Carveout::PreferL1,
                104 => Carveout::PreferEqual,
                percent @ 0..=100 => Carveout::Percent(percent as u8),
                _ => Carveout::Default,
            },
        )
    }
}

const fn known(word: u32) -> Option<u32> {
    if word == NONE { None } else { Some(word) }
}

fn bit(resource: Resource) -> u32 {
    match resource {
        Resource::Warps => 1,
        Resource::Registers => 2,
        Resource::SharedMemory => 4,
        Resource::Blocks => 8,
        Resource::Barriers => 16,
        Resource::VirtualResources => 32,
        _ => panic!("{resource} has no bit"),
    }
}

impl Answer {
    /// Returns the model's answer.
    pub(crate) fn of_model(sm: &SmLimits, case: &Case) -> Answer {
        let (kernel, launch) = (case.kernel(), case.launch());
        let answer = occupancy(sm, &kernel, &launch);
        // A launch that cannot run has no public answer, so its numbers come from the allocation.
        let mut given = allocation(sm, &kernel, &launch);
        if let Ok(answer) = answer {
            given.warps_per_block = answer.warps_per_block;
            given.registers_per_block = answer.registers_per_block;
            given.smem_per_block = answer.smem_per_block;
            given.smem_per_sm = answer.smem_per_sm;
            given.l1_caching = answer.l1_caching;
            given.limits = answer.limits;
        }
        let limits = given.limits;
        let best = best_block_size(sm, &kernel, &launch);
        let growing = BlockSmem { per_block: case.smem_per_block, per_thread: case.smem_per_thread };
        let linear = best_block_size_for(sm, &kernel, &launch, growing);
        Answer {
            warps: limits.warps,
            blocks: limits.blocks,
            registers: limits.registers.unwrap_or(NONE),
            smem: limits.shared_memory.unwrap_or(NONE),
            barriers: limits.barriers.unwrap_or(NONE),
            virtual_resources: limits.virtual_resources.unwrap_or(NONE),
            active: answer.map_or(0, |answer| answer.blocks_per_sm),
            limiters: limits.limiters().map(bit).sum(),
            registers_per_block: given.registers_per_block,
            smem_per_block: given.smem_per_block,
            l1_caching: u32::from(given.l1_caching),
            smem_preferred: sm.smem_for(launch.carveout),
            smem_per_sm: given.smem_per_sm,
            best_threads: best.map_or(0, |best| best.threads),
            best_blocks: best.map_or(0, |best| best.blocks_per_sm),
            linear_threads: linear.map_or(0, |best| best.threads),
            linear_blocks: linear.map_or(0, |best| best.blocks_per_sm),
            available: available_dynamic_smem(sm, &kernel, &launch, case.blocks).unwrap_or(NONE),
        }
    }

    /// Returns the answers side by side, with a mark where they differ.
    pub(crate) fn table(ours: &Answer, expected: &Answer, header: &Answer) -> String {
        let rows = ours.words().into_iter().zip(expected.words()).zip(header.words());
        let lines = Answer::NAMES.iter().zip(rows).map(|(name, ((ours, expected), header))| {
            let mark = if ours == expected { "" } else { "  <-- differs" };
            format!("  {name:20} {ours:>11} {expected:>11} {header:>11}{mark}\n")
        });
        format!("  {:20} {:>11} {:>11} {:>11}\n", "", "model", "expected", "header") + &lines.collect::<String>()
    }

    fn lowest_but_barriers(&self) -> u32 {
        self.warps.min(self.blocks).min(self.registers).min(self.smem).min(self.virtual_resources)
    }

    /// Sets blocks per SM and the limiters from the limits.
    fn judge_again(&mut self) {
        self.active = self.lowest_but_barriers().min(self.barriers);
        let limits = [self.warps, self.registers, self.smem, self.blocks, self.barriers, self.virtual_resources];
        self.limiters = (0..).zip(limits).filter(|&(_, limit)| limit == self.active).map(|(at, _)| 1 << at).sum();
    }

    /// Sets the answer to that of a kernel that no launch can run.
    fn never_runs(&mut self) {
        self.active = 0;
        (self.best_threads, self.best_blocks) = (0, 0);
        (self.linear_threads, self.linear_blocks) = (0, 0);
        self.available = NONE;
    }
}

/// Number of expected answers that each documented departure from the header decided. The departures are documented at
/// `occupancy` and `available_dynamic_smem`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Departures {
    /// 256 registers per thread, which the header accepts from 7.0 on.
    pub(crate) registers: u64,
    /// More threads than the kernel's own bound, which the header checks in the block-size search only.
    pub(crate) max_threads: u64,
    /// More than 16 barriers.
    pub(crate) barriers: u64,
    /// Limiter bits the header left set although barriers are lower.
    pub(crate) limiters: u64,
    /// Shared memory that wraps at 2³¹ bytes.
    pub(crate) smem: u64,
    /// Available dynamic shared memory that wraps below 0.
    pub(crate) available: u64,
}

impl Departures {
    /// Returns the answer that the model must give: the header's, apart from the documented departures.
    pub(crate) fn expected(&mut self, sm: &SmLimits, case: &Case, header: &Answer) -> Answer {
        let mut expected = *header;
        if header.barriers < header.lowest_but_barriers() {
            expected.limiters = bit(Resource::Barriers);
            self.limiters += u64::from(expected.limiters != header.limiters);
        }
        if header.available == WRAPPED_AVAILABLE {
            expected.available = 0;
            self.available += 1;
        }
        let smem = u64::from(case.static_smem) + u64::from(case.dynamic_smem) + u64::from(sm.smem_reserved_per_block);
        let smem = smem.next_multiple_of(u64::from(sm.smem_allocation_unit.get()));
        if smem > i32::MAX as u64 {
            expected.smem = 0;
            expected.smem_per_block = u32::try_from(smem).unwrap_or(u32::MAX);
            expected.smem_per_sm = header.smem_preferred;
            (expected.best_threads, expected.best_blocks) = (0, 0);
            expected.judge_again();
            self.smem += 1;
        }
        let before = expected;
        if case.registers == 256 {
            if header.registers != 0 {
                expected.registers = 0;
                expected.judge_again();
            }
            expected.never_runs();
            self.registers += u64::from(expected != before);
        }
        let before = expected;
        if case.barriers > 16 {
            expected.never_runs();
            self.barriers += u64::from(expected != before);
        }
        let before = expected;
        if case.threads > case.max_threads {
            expected.active = 0;
            expected.available = NONE;
            self.max_threads += u64::from(expected != before);
        }
        expected
    }
}

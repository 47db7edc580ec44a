//! A launch held against what it must reach, on every compute capability it is declared for.

use crate::arch::Arch;
use crate::block_limits::Resource;
use crate::budget::register_budget;
use crate::carveout::Carveout;
use crate::compiled::{AtMost, Ceiling, Compiled, compiled_for};
use crate::gpu::Gpu;
use crate::grid::Waves;
use crate::kernel::{Kernel, LaunchBounds};
use crate::launch::{Launch, grid_blocks, product};
use crate::limits::SmLimits;
use crate::occupancy::{Occupancy, occupancy};
use crate::refusal::Refusal;
use crate::requirement::{Argument, Ceilings, Requirement, Rule, warps_for};
use crate::text::Text;
use crate::warps::lane_efficiency;

/// Whether a launch satisfies a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Passes,
    /// It does not.
    Fails {
        /// The argument that limits it: the one to change.
        limiting: Argument,
        /// The argument that asks for more: where to point if the limiting one was not written.
        required: Argument,
    },
}

impl Verdict {
    /// Whether it passes.
    pub const fn passes(self) -> bool {
        matches!(self, Verdict::Passes)
    }
}

/// Everything a launch was declared with.
///
/// ```
/// use occ_core::{Arch, Argument, Check, Kernel, Launch, Requirement, Rule, Verdict};
///
/// let check = Check {
///     archs: &[Arch::SM_80],
///     kernel: Kernel::new().registers(168),
///     launch: Launch::new(256),
///     requirement: Requirement::new().min_occupancy(0.5),
///     ..Check::new()
/// };
/// assert_eq!(
///     check.verdict(Rule::Launch),
///     Verdict::Fails { limiting: Argument::Registers, required: Argument::MinOccupancy }
/// );
/// assert_eq!(
///     check.explain(Rule::Launch).as_str(),
///     "occupancy 12.5% on sm_80 is below the required 50%\n\
///      = note: limited by registers: 168 per thread, 8 warps a block, so 1 block of 8 warps fits where 64 warps could\n\
///      = note: blocks per SM each resource allows: registers 1, shared memory 164, warps 8, blocks 32\n\
///      = help: with `registers` at most 64 it reaches 50% (compile the kernel with `__launch_bounds__(256, 4)`)"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The compute capabilities it must pass on, each of them.
    pub archs: &'a [Arch],
    /// The GPUs whose SM counts the grid is held against. Their capabilities belong into `archs`.
    pub gpus: &'a [&'a Gpu],
    /// What the compiler decided, as it was declared.
    pub kernel: Kernel,
    /// What the compiler decided, as it was read from artifacts: takes the place of `kernel` on its capabilities.
    pub compiled: &'a [Compiled<'a>],
    /// What the compiled kernels must stay within.
    pub ceilings: Ceilings,
    /// What advice tries: kernels that have no more than this.
    pub at_most: AtMost,
    /// Whether the kernel's registers are a cap that holds (`max_registers`) rather than its number.
    pub registers_are_cap: bool,
    /// What the programmer decides.
    pub launch: Launch,
    /// What it must reach.
    pub requirement: Requirement,
    /// Notes to add to every message, such as where a default came from.
    pub notes: &'a [&'a str],
}

impl Check<'_> {
    /// A launch of one thread with nothing declared; to be completed with `..Check::new()`.
    pub const fn new() -> Check<'static> {
        Check {
            archs: &[],
            gpus: &[],
            kernel: Kernel::new(),
            compiled: &[],
            ceilings: Ceilings::new(),
            at_most: AtMost::new(),
            registers_are_cap: false,
            launch: Launch::new(1),
            requirement: Requirement::new(),
            notes: &[],
        }
    }

    /// The launch on one capability.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if it cannot run there.
    pub const fn on(&self, arch: Arch) -> Result<Occupancy, Refusal> {
        occupancy(arch.limits(), &self.kernel_on(arch), &self.launch)
    }

    /// The kernel on one capability: as it was compiled for it, else as it was declared.
    pub const fn kernel_on(&self, arch: Arch) -> Kernel {
        let kernel = match compiled_for(self.compiled, arch) {
            Some(compiled) => compiled.kernel,
            None => self.kernel,
        };
        self.at_most.of(kernel)
    }

    /// What was read of the kernel for one capability, if anything was.
    pub const fn compiled_for(&self, arch: Arch) -> Option<&Compiled<'_>> {
        compiled_for(self.compiled, arch)
    }

    /// The most registers per thread of the kernel on any capability, where they are known.
    pub(crate) const fn most_registers(&self) -> Option<u32> {
        let mut most = None;
        let mut at = 0;
        while at < self.archs.len() {
            most = match (most, self.kernel_on(self.archs[at]).registers) {
                (Some(most), Some(here)) if most >= here => Some(most),
                (most, None) => most,
                (_, here) => here,
            };
            at += 1;
        }
        most
    }

    /// Whether the launch satisfies a rule on every declared capability.
    ///
    /// A block no device accepts, or a grid of a launch that cannot run, fails [`Rule::Launch`] only.
    pub const fn verdict(&self, rule: Rule) -> Verdict {
        if let Some(argument) = self.out_of_range() {
            return match rule {
                Rule::Launch => Verdict::Fails { limiting: argument, required: argument },
                _ => Verdict::Passes,
            };
        }
        match rule {
            Rule::Launch => self.launch_verdict(),
            Rule::MinLaneEfficiency => match self.requirement.min_lane_efficiency {
                Some(required)
                    if self.launch.threads().wrapping_sub(1) < Self::MAX_THREADS
                        && lane_efficiency(self.launch.threads()) < required =>
                {
                    Verdict::Fails { limiting: Argument::Block, required: Argument::MinLaneEfficiency }
                }
                _ => Verdict::Passes,
            },
            Rule::MinWaves if self.requirement.min_waves.is_some() => self.grid_verdict(rule, Argument::MinWaves),
            Rule::MaxTailIdle if self.requirement.max_tail_idle.is_some() => {
                self.grid_verdict(rule, Argument::MaxTailIdle)
            }
            Rule::MinWaves | Rule::MaxTailIdle => Verdict::Passes,
            Rule::Registers => self.ceiling_verdict(Ceiling::Registers, Argument::Registers),
            Rule::MaxStack => self.ceiling_verdict(Ceiling::Stack, Argument::MaxStack),
            Rule::MaxSpills => self.ceiling_verdict(Ceiling::Spills, Argument::MaxSpills),
            // A launch that misses what is required of it is reported once.
            Rule::CompiledMinBlocks => match self.first_below_compiled_minimum() {
                Some(_) if self.launch_verdict().passes() => {
                    Verdict::Fails { limiting: Argument::Cubin, required: Argument::Cubin }
                }
                _ => Verdict::Passes,
            },
        }
    }

    const fn ceiling_verdict(&self, ceiling: Ceiling, argument: Argument) -> Verdict {
        match self.highest(ceiling) {
            Some(_) => Verdict::Fails { limiting: argument, required: argument },
            None => Verdict::Passes,
        }
    }

    /// Of the compiled kernels above a ceiling, the one that is highest above it.
    pub(crate) const fn highest(&self, ceiling: Ceiling) -> Option<&Compiled<'_>> {
        let Some(most) = self.ceilings.of(ceiling) else {
            return None;
        };
        let mut highest: Option<(u32, &Compiled<'_>)> = None;
        let mut at = 0;
        while at < self.archs.len() {
            if let Some(compiled) = compiled_for(self.compiled, self.archs[at]) {
                // What is not known may be anything.
                let number = match compiled.number(ceiling) {
                    Some(number) => number,
                    None => u32::MAX,
                };
                highest = match highest {
                    Some((other, _)) if other >= number => highest,
                    _ if number > most || number == u32::MAX => Some((number, compiled)),
                    _ => highest,
                };
            }
            at += 1;
        }
        match highest {
            Some((_, compiled)) => Some(compiled),
            None => None,
        }
    }

    /// The first compiled kernel that was to leave room for more blocks than an SM holds of this launch, and how many
    /// it holds. A launch that cannot run fails [`Rule::Launch`] only.
    pub(crate) const fn first_below_compiled_minimum(&self) -> Option<(&Compiled<'_>, Occupancy)> {
        let mut at = 0;
        while at < self.archs.len() {
            if let Some(compiled) = compiled_for(self.compiled, self.archs[at])
                && let Some(minimum) = compiled.min_blocks_per_sm
                && let Ok(answer) = self.on(self.archs[at])
                && answer.blocks_per_sm < minimum
            {
                return Some((compiled, answer));
            }
            at += 1;
        }
        None
    }

    /// The verdict on a rule about waves: they are counted over the SMs of a GPU, so without a grid and a GPU it cannot
    /// be kept.
    const fn grid_verdict(&self, rule: Rule, required: Argument) -> Verdict {
        if !self.has_grid() {
            return Verdict::Fails { limiting: required, required };
        }
        if self.first_short_grid(rule).is_some() {
            return Verdict::Fails { limiting: Argument::Grid, required };
        }
        Verdict::Passes
    }

    /// A GPU whose capability is not among those declared, so that it would not be checked.
    pub(crate) const fn undeclared_gpu(&self) -> Option<&Gpu> {
        let mut at = 0;
        while at < self.gpus.len() {
            let mut declared = false;
            let mut other = 0;
            while other < self.archs.len() {
                declared = declared || self.archs[other].index() == self.gpus[at].arch.index();
                other += 1;
            }
            if !declared {
                return Some(self.gpus[at]);
            }
            at += 1;
        }
        None
    }

    /// Whether there is a grid and a GPU to hold it against.
    pub(crate) const fn has_grid(&self) -> bool {
        self.launch.grid.is_some() && !self.gpus.is_empty()
    }

    /// Whether every rule is satisfied.
    pub const fn passes(&self) -> bool {
        self.first_broken_rule().is_none()
    }

    /// The first rule that is not satisfied.
    pub const fn first_broken_rule(&self) -> Option<Rule> {
        let mut at = 0;
        while at < Rule::ALL.len() {
            if !self.verdict(Rule::ALL[at]).passes() {
                return Some(Rule::ALL[at]);
            }
            at += 1;
        }
        None
    }

    /// Most registers per thread with which registers admit what is required on every declared capability. `None` if
    /// no number is low enough, or no capability is declared.
    pub const fn register_budget(&self) -> Option<u32> {
        let mut budget: Option<u32> = None;
        let mut at = 0;
        while at < self.archs.len() {
            let sm = self.archs[at].limits();
            let warps = self.launch.threads().div_ceil(sm.warp_size.get());
            let blocks = self.requirement.blocks_per_sm(sm, warps);
            let kernel = self.kernel_on(self.archs[at]);
            budget = match (budget, register_budget(sm, &kernel, &self.launch, blocks)) {
                (_, None) => return None,
                (Some(least), Some(here)) if least < here => Some(least),
                (_, here) => here,
            };
            at += 1;
        }
        budget
    }

    /// Why the launch does not satisfy a rule, with the cause and what to do: lines starting with `= note: ` and
    /// `= help: ` after the first. Empty if it does.
    pub const fn explain(&self, rule: Rule) -> Text {
        crate::message::explain(self, rule)
    }

    /// Ends the evaluation of a constant with [`Check::explain`] as its error.
    ///
    /// # Panics
    ///
    /// Always: call it once [`Check::verdict`] fails.
    #[track_caller]
    pub const fn fail(&self, rule: Rule) -> ! {
        let text = self.explain(rule);
        panic!("{}", text.as_str())
    }

    const fn launch_verdict(&self) -> Verdict {
        let mut worst: Option<(Arch, Occupancy)> = None;
        let mut at = 0;
        while at < self.archs.len() {
            let arch = self.archs[at];
            match self.on(arch) {
                Err(refusal) => {
                    return Verdict::Fails {
                        limiting: self.refused_argument(arch, &refusal),
                        required: Argument::Arch,
                    };
                }
                Ok(answer) => {
                    if !self.requirement.is_met(&answer) {
                        let is_worse = match &worst {
                            Some((_, worst)) => answer.fraction() < worst.fraction(),
                            None => true,
                        };
                        if is_worse {
                            worst = Some((arch, answer));
                        }
                    }
                }
            }
            at += 1;
        }
        match worst {
            None => Verdict::Passes,
            Some((arch, answer)) => {
                let required = self.unmet(arch.limits(), &answer);
                let limiting = if self.asks_too_much(arch.limits(), required) {
                    required
                } else {
                    self.limiting_argument(arch, &answer)
                };
                Verdict::Fails { limiting, required }
            }
        }
    }

    /// Whether a requirement is beyond what an SM can hold of any launch.
    pub(crate) const fn asks_too_much(&self, sm: &SmLimits, required: Argument) -> bool {
        match (required, self.requirement.min_blocks_per_sm, self.requirement.min_warps_per_sm) {
            (Argument::MinBlocksPerSm, Some(blocks), _) => blocks > sm.max_blocks_per_sm,
            (Argument::MinWarpsPerSm, _, Some(warps)) => warps > sm.max_warps_per_sm,
            _ => false,
        }
    }

    /// Which of the occupancy requirements an answer misses, the first of several.
    pub(crate) const fn unmet(&self, sm: &SmLimits, answer: &Occupancy) -> Argument {
        let required = &self.requirement;
        if let Some(fraction) = required.min_occupancy
            && answer.warps_per_sm() < warps_for(sm, fraction)
        {
            return Argument::MinOccupancy;
        }
        match required.min_blocks_per_sm {
            Some(blocks) if answer.blocks_per_sm < blocks => Argument::MinBlocksPerSm,
            _ => Argument::MinWarpsPerSm,
        }
    }

    /// The argument behind a value outside of what it can be on any device, if one is.
    pub(crate) const fn out_of_range(&self) -> Option<Argument> {
        if self.archs.is_empty() {
            return Some(Argument::Arch);
        }
        if matches!(self.kernel.registers, Some(0)) {
            return Some(Argument::Registers);
        }
        if let Some(argument) = self.requirement.out_of_range() {
            return Some(argument);
        }
        if self.undeclared_gpu().is_some() {
            return Some(Argument::Gpu);
        }
        if let Carveout::Percent(percent) = self.launch.carveout
            && percent > 100
        {
            return Some(Argument::Carveout);
        }
        // No compiler accepts more static shared memory on any device: `ptxas` refuses it from 7.5 to 12.1.
        if self.kernel.static_smem > Self::MAX_STATIC_SMEM {
            return Some(Argument::StaticSmem);
        }
        None
    }

    /// Most threads of a block on any device.
    const MAX_THREADS: u32 = 1024;

    /// Most static shared memory `ptxas` accepts, in bytes.
    pub const MAX_STATIC_SMEM: u32 = 48 << 10;

    /// Whether the launch cannot run on one of the capabilities.
    pub(crate) const fn refused(&self) -> bool {
        let mut at = 0;
        while at < self.archs.len() {
            if self.on(self.archs[at]).is_err() {
                return true;
            }
            at += 1;
        }
        false
    }

    /// The waves on one GPU, if a grid is declared and the launch can run there.
    pub const fn waves_on(&self, gpu: &Gpu) -> Option<Waves> {
        match (self.launch.grid, self.on(gpu.arch)) {
            (Some(grid), Ok(answer)) => {
                let blocks = grid_blocks(grid).saturating_mul(self.blocks_a_grid_counts(gpu.arch));
                Waves::new(blocks, answer.blocks_per_sm, gpu.sm_count)
            }
            _ => None,
        }
    }

    /// Blocks that each element of the grid stands for: 1, or those of a cluster where the grid counts clusters.
    pub(crate) const fn blocks_a_grid_counts(&self, arch: Arch) -> u64 {
        match self.kernel_on(arch).bounds {
            Some(LaunchBounds { grid_counts_clusters: true, required_cluster: Some(axes), .. }) => product(axes) as u64,
            _ => 1,
        }
    }

    /// The first declared GPU on which the grid breaks a rule.
    pub(crate) const fn first_short_grid(&self, rule: Rule) -> Option<(usize, Waves)> {
        let mut at = 0;
        while at < self.gpus.len() {
            if let Some(waves) = self.waves_on(self.gpus[at])
                && self.breaks(rule, &waves)
            {
                return Some((at, waves));
            }
            at += 1;
        }
        None
    }

    const fn breaks(&self, rule: Rule, waves: &Waves) -> bool {
        match (rule, self.requirement.min_waves, self.requirement.max_tail_idle) {
            (Rule::MinWaves, Some(required), _) => waves.exact() < required,
            (Rule::MaxTailIdle, _, Some(allowed)) => waves.tail_idle() > allowed,
            _ => false,
        }
    }

    /// The argument to change for a launch that falls short: that of the first limiting resource which has one.
    const fn limiting_argument(&self, arch: Arch, answer: &Occupancy) -> Argument {
        let limits = &answer.limits;
        if limits.is_limiter(Resource::Registers) {
            self.kernel_argument(arch, Argument::Registers)
        } else if limits.is_limiter(Resource::SharedMemory) {
            self.smem_argument(arch)
        } else if limits.is_limiter(Resource::Barriers) {
            self.kernel_argument(arch, Argument::Barriers)
        } else if limits.is_limiter(Resource::VirtualResources) {
            self.kernel_argument(arch, Argument::Block)
        } else {
            Argument::Block
        }
    }

    /// The argument behind a number of the kernel: the artifact where it was read from one.
    const fn kernel_argument(&self, arch: Arch, declared: Argument) -> Argument {
        if compiled_for(self.compiled, arch).is_some() { Argument::Cubin } else { declared }
    }

    const fn smem_argument(&self, arch: Arch) -> Argument {
        if self.launch.dynamic_smem > 0 {
            Argument::DynamicSmem
        } else if self.kernel_on(arch).static_smem > 0 {
            self.kernel_argument(arch, Argument::StaticSmem)
        } else {
            Argument::Carveout
        }
    }

    const fn refused_argument(&self, arch: Arch, refusal: &Refusal) -> Argument {
        match refusal {
            Refusal::EmptyBlock { .. }
            | Refusal::BlockAxis { .. }
            | Refusal::BlockThreads { .. }
            | Refusal::KernelThreads { .. }
            | Refusal::KernelBlock { .. }
            | Refusal::NoRoom { .. } => Argument::Block,
            Refusal::RegistersPerThread { .. } | Refusal::RegistersPerBlock { .. } => {
                self.kernel_argument(arch, Argument::Registers)
            }
            Refusal::SharedMemory { .. } | Refusal::SharedMemoryOptIn { .. } => self.smem_argument(arch),
            Refusal::Barriers { .. } => self.kernel_argument(arch, Argument::Barriers),
            Refusal::VirtualResources { .. } => Argument::Arch,
            // A cluster that the kernel brings is not the launch's to change.
            Refusal::PartialCluster { .. } if self.launch.cluster.is_none() => Argument::Grid,
            Refusal::NoClusters
            | Refusal::EmptyCluster { .. }
            | Refusal::ClusterBlocks { .. }
            | Refusal::KernelCluster { .. }
            | Refusal::KernelNeedsCluster
            | Refusal::KernelClusterBlocks { .. }
            | Refusal::PartialCluster { .. } => Argument::Cluster,
            Refusal::EmptyGrid { .. } | Refusal::GridAxis { .. } => Argument::Grid,
        }
    }
}

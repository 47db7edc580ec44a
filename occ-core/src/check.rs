//! A launch with its requirements, on every compute capability that is declared.

use crate::arch::Arch;
use crate::budget::register_budget;
use crate::carveout::Carveout;
use crate::compiled::{AtMost, Compiled, compiled_for};
use crate::gpu::Gpu;
use crate::grid::Waves;
use crate::kernel::{Kernel, LaunchBounds};
use crate::launch::{Launch, grid_blocks, product};
use crate::occupancy::{Occupancy, occupancy};
use crate::refusal::Refusal;
use crate::requirement::{Argument, Ceilings, Requirement};

/// A launch with everything that was declared for it.
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
///      = note: limited by registers: at 168 per thread and 8 warps per block, only 1 block (8 of 64 warps) is resident \
///      per SM\n\
///      = note: blocks per SM by resource: registers 1, shared memory 164, warps 8, blocks 32\n\
///      = help: limit `registers` to 64 to reach 50% (compile the kernel with `__launch_bounds__(256, 4)`)"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The compute capabilities; the launch must pass on each.
    pub archs: &'a [Arch],
    /// The GPUs whose SM counts the waves of the grid are computed for. Their capabilities belong in `archs`.
    pub gpus: &'a [&'a Gpu],
    /// Resources of the kernel, as declared.
    pub kernel: Kernel,
    /// Resources of the kernel, as read from artifacts. Each replaces `kernel` on its capability.
    pub compiled: &'a [Compiled<'a>],
    /// Ceilings for the compiled kernels.
    pub ceilings: Ceilings,
    /// Limits that advice tries on the kernel.
    pub at_most: AtMost,
    /// Whether the kernel's registers are an upper bound (`max_registers`) rather than the exact number.
    pub registers_are_cap: bool,
    /// The launch.
    pub launch: Launch,
    /// Requirements for the launch.
    pub requirement: Requirement,
    /// Notes to add to every message, such as where a default came from.
    pub notes: &'a [&'a str],
}

impl Check<'_> {
    /// Creates a check of one thread with nothing declared, to be completed with `..Check::new()`.
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

    /// Returns the occupancy of the launch on one capability.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if it cannot run there.
    pub const fn occupancy_on(&self, arch: Arch) -> Result<Occupancy, Refusal> {
        occupancy(arch.limits(), &self.kernel_on(arch), &self.launch)
    }

    /// Returns the kernel on one capability: as it was compiled for it, else as it was declared.
    pub const fn kernel_on(&self, arch: Arch) -> Kernel {
        let kernel = match compiled_for(self.compiled, arch) {
            Some(compiled) => compiled.kernel,
            None => self.kernel,
        };
        self.at_most.of(kernel)
    }

    /// Returns what was read of the kernel for one capability, if anything was.
    pub const fn compiled_for(&self, arch: Arch) -> Option<&Compiled<'_>> {
        compiled_for(self.compiled, arch)
    }

    /// Returns the largest register count per thread on any capability, where it is known.
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

    /// Returns the maximum registers per thread that allow what is required on every declared capability. `None` if
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

    /// Most static shared memory `ptxas` accepts, in bytes.
    pub const MAX_STATIC_SMEM: u32 = 48 << 10;

    /// Returns the waves on one GPU, if a grid is declared and the launch can run there.
    pub const fn waves_on(&self, gpu: &Gpu) -> Option<Waves> {
        match self.occupancy_on(gpu.arch) {
            Ok(occupancy) => self.waves_of(gpu, &occupancy),
            Err(_) => None,
        }
    }

    /// Returns the waves on one GPU at an occupancy.
    pub(crate) const fn waves_of(&self, gpu: &Gpu, occupancy: &Occupancy) -> Option<Waves> {
        let Some(grid) = self.launch.grid else {
            return None;
        };
        let blocks = grid_blocks(grid).saturating_mul(self.blocks_a_grid_counts(gpu.arch));
        Waves::new(blocks, occupancy.blocks_per_sm, gpu.sm_count)
    }

    /// Returns the blocks per element of the grid: 1, or those of a cluster where the grid counts clusters.
    pub(crate) const fn blocks_a_grid_counts(&self, arch: Arch) -> u64 {
        match self.kernel_on(arch).bounds {
            Some(LaunchBounds { grid_counts_clusters: true, required_cluster: Some(axes), .. }) => product(axes) as u64,
            _ => 1,
        }
    }

    /// Returns the argument whose value is out of range on every device, if there is one.
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

    /// Returns a GPU whose capability is not declared, and so would not be checked.
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
}

//! Which argument limits a launch: the one to change.

use crate::arch::Arch;
use crate::block_limits::Resource;
use crate::check::Check;
use crate::compiled::compiled_for;
use crate::limits::SmLimits;
use crate::occupancy::Occupancy;
use crate::refusal::Refusal;
use crate::requirement::Argument;

impl Check<'_> {
    /// Returns the argument to change when a launch falls short: that of the first limiter that has one.
    pub(crate) const fn limiting_argument(&self, arch: Arch, answer: &Occupancy) -> Argument {
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

    /// Returns the argument to change when a launch cannot run.
    pub(crate) const fn refused_argument(&self, arch: Arch, refusal: &Refusal) -> Argument {
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

    /// Returns whether a requirement exceeds what an SM can hold of any launch.
    pub(crate) const fn asks_too_much(&self, sm: &SmLimits, required: Argument) -> bool {
        match (required, self.requirement.min_blocks_per_sm, self.requirement.min_warps_per_sm) {
            (Argument::MinBlocksPerSm, Some(blocks), _) => blocks > sm.max_blocks_per_sm,
            (Argument::MinWarpsPerSm, _, Some(warps)) => warps > sm.max_warps_per_sm,
            _ => false,
        }
    }

    /// Returns the argument behind a number of the kernel: the artifact, if it was read from one.
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
}

//! The comparison of what was declared with what the driver reports. It makes no call of the driver.

use super::device::DeviceReport;
use super::function::FunctionReport;
use super::mismatch::{DeclaredRegisters, Finding, Mismatch, Severity};
use crate::spec::LaunchSpec;
use occ_core::{Arch, Carveout, Kernel, Launch, Occupancy, Refusal, SmLimits, occupancy, register_budget};
use std::vec::Vec;

/// The two sides of a comparison.
pub(super) struct Comparison<'a> {
    pub(super) spec: &'a LaunchSpec,
    pub(super) device: &'a DeviceReport,
    pub(super) function: &'a FunctionReport,
    /// Whether launches pass the spec's cluster to the driver; otherwise they have the one that the kernel was compiled for.
    pub(super) passes_cluster: bool,
    /// Driver's blocks per SM.
    pub(super) blocks_per_sm: u32,
    /// Driver's number of clusters on the device, where it was asked.
    pub(super) active_clusters: Option<u32>,
}

/// The result of a comparison.
pub(super) struct Compared {
    /// Model's answer for the function and the device as the driver describes them. `None` for an unknown capability.
    pub(super) model: Option<Result<Occupancy, Refusal>>,
    /// Whether the driver's static shared memory seems to include what it reserves in each block.
    pub(super) static_smem_has_reserved: bool,
    pub(super) findings: Vec<Finding>,
}

impl Comparison<'_> {
    pub(super) fn run(&self) -> Compared {
        let declared = self.declared();
        let (static_smem, static_smem_has_reserved) = self.static_smem(&declared);
        let model = self.model(&declared, static_smem);
        let mut findings = Vec::new();
        let mut find = |severity, mismatch| findings.push(Finding { severity, mismatch });

        let mut breaks = false;
        if let Some(mismatch) = self.cluster(&declared) {
            find(Severity::Error, mismatch);
        }
        if let Some(mismatch) = self.cannot_run(model).or_else(|| self.falls_short(model, &declared, static_smem)) {
            find(Severity::Error, mismatch);
            breaks = true;
        }
        let severity = if breaks { Severity::Error } else { Severity::Warning };
        if let Some(registers) = self.registers(&declared, static_smem, breaks) {
            find(severity, registers);
        }
        let check = self.spec.check();
        let found = self.function.registers;
        if let Some(ceiling) = check.ceilings.registers.filter(|ceiling| found > *ceiling) {
            find(Severity::Error, Mismatch::Registers { declared: DeclaredRegisters::AtMost(ceiling), found });
        }
        if static_smem != declared.static_smem {
            let (declared, found) = (declared.static_smem, static_smem);
            find(severity, Mismatch::StaticSmem { declared, found });
        }
        let found = self.function.local;
        if let Some(ceiling) = check.ceilings.max_stack.filter(|ceiling| found > *ceiling) {
            find(Severity::Warning, Mismatch::Local { ceiling, found });
        }
        if let (Some(declared), Some(found)) = (self.spec.shape().carveout.percent(), self.function.carveout)
            && declared != found
        {
            find(Severity::Warning, Mismatch::Carveout { declared, found });
        }
        if !self.device.arch.is_some_and(|arch| self.spec.archs().contains(&arch)) {
            let (declared, found) = (self.spec.archs(), self.device.capability);
            find(Severity::Warning, Mismatch::Capability { declared, found });
        }
        if let Some(mismatch) = self.model_differs(model) {
            find(Severity::Warning, mismatch);
        }
        for difference in &self.device.differences {
            find(Severity::Warning, Mismatch::Limit(*difference));
        }
        Compared { model, static_smem_has_reserved, findings }
    }

    /// Returns the kernel as declared for the code that runs here: for the device's capability, or else for the capability
    /// that the binary is for.
    pub(super) fn declared(&self) -> Kernel {
        let check = self.spec.check();
        let [major, minor] = self.function.binary;
        let compiled = |arch: Option<Arch>| check.compiled_for(arch?).map(|compiled| compiled.kernel);
        compiled(self.device.arch).or_else(|| compiled(Arch::new(major, minor))).unwrap_or(check.kernel)
    }

    /// Returns a cluster other than the one that was checked.
    fn cluster(&self, declared: &Kernel) -> Option<Mismatch> {
        let spec = self.spec.shape().cluster;
        let compiled = declared.bounds.and_then(|bounds| bounds.required_cluster);
        let launched = if self.passes_cluster { spec } else { None }.or(self.function.required_cluster);
        let declared = spec.or(compiled);
        // A cluster of one block is a launch without clusters.
        let is_one = |cluster: Option<[u32; 3]>| cluster.is_none_or(|axes| axes == [1; 3]);
        let differs = declared != launched && !(is_one(declared) && is_one(launched));
        differs.then_some(Mismatch::Cluster { declared, launched })
    }

    /// Returns the static shared memory, and whether the driver's number seems to include what it reserves in each block, as
    /// a cubin's section does from 9.0 on. Where both are possible, the driver's occupancy decides.
    fn static_smem(&self, declared: &Kernel) -> (u32, bool) {
        let found = self.function.static_smem;
        let reserved = self.device.limits.map_or(0, |sm| sm.smem_reserved_per_block);
        let may_hold_it = self.device.capability[0] >= 9 && reserved > 0;
        if !may_hold_it || Some(found) != declared.static_smem.checked_add(reserved) {
            return (found, false);
        }
        let agrees = |static_smem| match self.model(declared, static_smem) {
            Some(Ok(answer)) => answer.blocks_per_sm == self.blocks_per_sm,
            _ => self.blocks_per_sm == 0,
        };
        if agrees(declared.static_smem) || !agrees(found) { (declared.static_smem, true) } else { (found, false) }
    }

    /// Returns the kernel with the resources that the driver reports, and the rest, such as barriers, as declared.
    fn kernel(&self, declared: &Kernel, static_smem: u32) -> Kernel {
        let mut bounds = declared.bounds.unwrap_or_default();
        bounds.required_cluster = self.function.required_cluster.or(bounds.required_cluster);
        bounds.needs_cluster = self.function.needs_cluster.unwrap_or(bounds.needs_cluster);
        declared.registers(self.function.registers).static_smem(static_smem).bounds(bounds)
    }

    /// Returns the launch as it is made: with the opt-in, and with the function's carve-out.
    fn launch(&self) -> Launch {
        let mut launch = self.spec.shape().smem_optin(true);
        launch.grid = None;
        match (launch.carveout, self.function.carveout) {
            (_, Some(percent)) if percent <= 100 => launch.carveout(Carveout::Percent(percent as u8)),
            _ => launch,
        }
    }

    fn model(&self, declared: &Kernel, static_smem: u32) -> Option<Result<Occupancy, Refusal>> {
        let sm = self.device.limits.as_ref()?;
        Some(occupancy(sm, &self.kernel(declared, static_smem), &self.launch()))
    }

    /// Returns why the launch cannot run, by the driver, or by the model where the driver was not asked.
    fn cannot_run(&self, model: Option<Result<Occupancy, Refusal>>) -> Option<Mismatch> {
        let threads = self.spec.shape().threads();
        if let Some(Err(refusal)) = model
            && !self.is_contradicted(&refusal)
        {
            return Some(Mismatch::CannotRun { refusal });
        }
        if threads > self.function.max_threads {
            let refusal = Refusal::KernelThreads { threads, most: self.function.max_threads };
            return Some(Mismatch::CannotRun { refusal });
        }
        if self.blocks_per_sm == 0 {
            return Some(Mismatch::NoBlock);
        }
        match (self.spec.shape().cluster.or(self.function.required_cluster), self.active_clusters) {
            (Some(cluster), Some(0)) => Some(Mismatch::NoCluster { cluster }),
            _ => None,
        }
    }

    /// Returns whether the driver accepts what the model refuses a launch for.
    fn is_contradicted(&self, refusal: &Refusal) -> bool {
        match refusal {
            Refusal::BlockThreads { .. }
            | Refusal::KernelThreads { .. }
            | Refusal::RegistersPerThread { .. }
            | Refusal::RegistersPerBlock { .. }
            | Refusal::SharedMemory { .. }
            | Refusal::SharedMemoryOptIn { .. }
            | Refusal::Barriers { .. }
            | Refusal::VirtualResources { .. }
            | Refusal::NoRoom { .. } => self.blocks_per_sm > 0,
            Refusal::NoClusters | Refusal::ClusterBlocks { .. } => {
                self.active_clusters.is_some_and(|active| active > 0)
            }
            _ => false,
        }
    }

    /// Returns the requirement that the driver's occupancy misses.
    fn falls_short(
        &self,
        model: Option<Result<Occupancy, Refusal>>,
        declared: &Kernel,
        static_smem: u32,
    ) -> Option<Mismatch> {
        let required = *self.spec.requirement();
        let warps_per_block = self.warps_per_block();
        let max_warps_per_sm = self.device.max_warps_per_sm();
        let required_blocks = required.blocks_per_sm(&self.sm(), warps_per_block);
        if self.blocks_per_sm >= required_blocks {
            return None;
        }
        let agreed = model.and_then(Result::ok).filter(|answer| answer.blocks_per_sm == self.blocks_per_sm);
        Some(Mismatch::Occupancy {
            required,
            required_blocks,
            blocks_per_sm: self.blocks_per_sm,
            warps_per_block,
            max_warps_per_sm,
            limits: agreed.map(|answer| answer.limits),
            register_budget: self.register_budget(declared, static_smem),
            registers: self.function.registers,
        })
    }

    /// Returns the SM where only its warps matter, also for a capability that the model does not know.
    fn sm(&self) -> SmLimits {
        self.device.limits.unwrap_or_else(|| {
            let mut sm = SmLimits::TEXTBOOK;
            sm.warp_size = self.device.warp_size;
            sm.max_warps_per_sm = self.device.max_warps_per_sm();
            sm
        })
    }

    fn warps_per_block(&self) -> u32 {
        self.spec.shape().threads().div_ceil(self.device.warp_size.get())
    }

    /// Returns the most registers per thread with which registers allow what is required.
    fn register_budget(&self, declared: &Kernel, static_smem: u32) -> Option<u32> {
        let sm = self.device.limits.as_ref()?;
        let blocks = self.spec.requirement().blocks_per_sm(sm, self.warps_per_block());
        register_budget(sm, &self.kernel(declared, static_smem), &self.launch(), blocks)
    }

    /// Returns registers that differ from the declared ones; if none were declared, registers above the budget, which only
    /// matter if the requirement breaks.
    fn registers(&self, kernel: &Kernel, static_smem: u32, breaks: bool) -> Option<Mismatch> {
        let found = self.function.registers;
        let declared = match kernel.registers {
            Some(most) if self.spec.check().registers_are_cap => DeclaredRegisters::AtMost(most),
            Some(declared) => DeclaredRegisters::Exactly(declared),
            None => DeclaredRegisters::Budget(self.register_budget(kernel, static_smem).unwrap_or(0)),
        };
        let differs = match declared {
            DeclaredRegisters::Exactly(declared) => found != declared,
            DeclaredRegisters::AtMost(most) => found > most,
            DeclaredRegisters::Budget(most) => found > most && breaks && self.device.limits.is_some(),
        };
        differs.then_some(Mismatch::Registers { declared, found })
    }

    /// Returns the two numbers of blocks where the model and the driver disagree.
    fn model_differs(&self, model: Option<Result<Occupancy, Refusal>>) -> Option<Mismatch> {
        let model = match model? {
            Ok(answer) => answer.blocks_per_sm,
            Err(refusal) if self.is_contradicted(&refusal) => 0,
            Err(_) => return None,
        };
        let driver = self.blocks_per_sm;
        (model != driver).then_some(Mismatch::BlocksPerSm { model, driver })
    }
}

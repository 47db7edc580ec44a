//! `LaunchSpec`, a launch configuration that was checked when the code was compiled.

use occ_core::{Arch, Check, Compiled, Gpu, Kernel, Launch, Occupancy, Refusal, Requirement};

/// The reaction to a driver that contradicts what was declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnMismatch {
    /// Refuse the launch.
    #[default]
    Error,
    /// Launch, and log a warning.
    Warn,
    /// Launch without a check.
    Ignore,
}

/// A checked launch configuration as a constant: what is declared, for which capabilities, and what is required.
///
/// `#[launch_config(.., spec = SAXPY)]` makes one. Without the attribute, constant evaluation alone does the same:
///
/// ```
/// use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
///
/// const SAXPY: LaunchSpec =
///     LaunchSpec::new("saxpy", &[Arch::SM_80, Arch::SM_89], Kernel::new().registers(32), Launch::new(256))
///         .require(Requirement::new().min_occupancy(0.5));
///
/// assert_eq!(SAXPY.shape().block, [256, 1, 1]);
/// assert_eq!(SAXPY.occupancy_on(Arch::SM_89).unwrap().fraction(), 1.0);
/// ```
///
/// A launch that falls short does not compile:
///
/// ```compile_fail
/// use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
///
/// const SAXPY: LaunchSpec =
///     LaunchSpec::new("saxpy", &[Arch::SM_80], Kernel::new().registers(168), Launch::new(256))
///         .require(Requirement::new().min_occupancy(0.5));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LaunchSpec {
    name: &'static str,
    check: Check<'static>,
    on_mismatch: OnMismatch,
    log_waves: bool,
}

impl LaunchSpec {
    /// Creates a launch of the kernel `name` that can run on each of `archs`. Nothing else is required yet.
    ///
    /// # Panics
    ///
    /// If it cannot run on one of them. In a constant that is a build error.
    #[track_caller]
    pub const fn new(name: &'static str, archs: &'static [Arch], kernel: Kernel, launch: Launch) -> Self {
        let check = Check { archs, kernel, launch, ..Check::new() };
        LaunchSpec { name, check, on_mismatch: OnMismatch::Error, log_waves: false }.checked()
    }

    /// Returns the spec if it passes every rule.
    #[track_caller]
    pub(crate) const fn checked(self) -> Self {
        if let Some(rule) = self.check.first_broken_rule() {
            self.check.fail(rule);
        }
        self
    }

    pub(crate) const fn from_check(name: &'static str, check: Check<'static>, on_mismatch: OnMismatch) -> Self {
        LaunchSpec { name, check, on_mismatch, log_waves: false }
    }

    /// Sets the GPUs whose SM counts the grid is checked with. Their capabilities must be among those declared.
    ///
    /// # Panics
    ///
    /// If one is not.
    ///
    /// ```
    /// use occ_runtime::{Arch, Gpu, Kernel, Launch, LaunchSpec, Requirement};
    ///
    /// const GPUS: &[&Gpu] = &[Gpu::named("A100 SXM4")];
    /// const ARCHS: &[Arch] = &[GPUS[0].arch];
    /// const SPEC: LaunchSpec =
    ///     LaunchSpec::new("reduce", ARCHS, Kernel::new().registers(32), Launch::new(512).grid([432, 1, 1]))
    ///         .on_gpus(GPUS)
    ///         .require(Requirement::new().max_tail_idle(0.1));
    /// assert_eq!(SPEC.shape().grid, Some([432, 1, 1]));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn on_gpus(mut self, gpus: &'static [&'static Gpu]) -> Self {
        self.check.gpus = gpus;
        self.checked()
    }

    /// Declares the kernel's registers as an upper bound (`-maxrregcount`) rather than their number.
    #[must_use]
    pub const fn registers_are_cap(mut self) -> Self {
        self.check.registers_are_cap = true;
        self
    }

    /// Sets the kernel's resources as compiled for each capability. They replace the declared ones there.
    ///
    /// # Panics
    ///
    /// If the launch then breaks what is required so far.
    ///
    /// ```
    /// use occ_runtime::{Arch, Compiled, Kernel, Launch, LaunchSpec};
    ///
    /// const COMPILED: &[Compiled] = &[Compiled::new(Arch::SM_80, Kernel::new().registers(40), "my build's log")];
    /// const SPEC: LaunchSpec =
    ///     LaunchSpec::new("saxpy", &[Arch::SM_80], Kernel::new(), Launch::new(256)).compiled(COMPILED);
    /// assert_eq!(SPEC.kernel_on(Arch::SM_80).registers, Some(40));
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn compiled(mut self, compiled: &'static [Compiled<'static>]) -> Self {
        self.check.compiled = compiled;
        self.checked()
    }

    /// Sets the reaction to a driver that contradicts the declaration.
    #[must_use]
    pub const fn on_mismatch(mut self, on_mismatch: OnMismatch) -> Self {
        self.on_mismatch = on_mismatch;
        self
    }

    /// Makes the guard log the waves and the tail of this launch's grids at the level `info`, each time that their number
    /// of blocks changes.
    #[must_use]
    pub const fn log_waves(mut self) -> Self {
        self.log_waves = true;
        self
    }

    /// Adds a requirement, which the launch must meet on every declared capability. Where `requirement` is silent, what
    /// was required before stays.
    ///
    /// # Panics
    ///
    /// If the launch misses it. In a constant that is a build error with the limiter and what to change.
    #[must_use]
    #[track_caller]
    pub const fn require(mut self, requirement: Requirement) -> Self {
        self.check.requirement = self.check.requirement.and(requirement);
        self.checked()
    }

    /// Returns the kernel's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the capabilities it was checked on.
    pub const fn archs(&self) -> &'static [Arch] {
        self.check.archs
    }

    /// Returns the kernel as declared. [`LaunchSpec::kernel_on`] has what was read from artifacts.
    pub const fn kernel(&self) -> &Kernel {
        &self.check.kernel
    }

    /// Returns the kernel on one capability: as read from an artifact, or else as declared.
    pub const fn kernel_on(&self, arch: Arch) -> Kernel {
        self.check.kernel_on(arch)
    }

    /// Returns the shape of the launch: block, cluster, shared memory, and the grid if it is declared.
    pub const fn shape(&self) -> &Launch {
        &self.check.launch
    }

    /// Returns what is required.
    pub const fn requirement(&self) -> &Requirement {
        &self.check.requirement
    }

    /// Returns the reaction to a driver that contradicts the declaration.
    pub const fn mismatch(&self) -> OnMismatch {
        self.on_mismatch
    }

    /// Returns whether the guard logs the waves of its grids.
    pub const fn logs_waves(&self) -> bool {
        self.log_waves
    }

    /// Returns whether two specs are of one kernel and declare the same.
    #[cfg(feature = "guard")]
    #[inline]
    pub(crate) fn is_same(&self, other: &LaunchSpec) -> bool {
        (core::ptr::eq(self.name, other.name) || self.name == other.name) && self.declares_same(other)
    }

    /// Returns whether two specs declare the same, under whatever name.
    #[cfg(feature = "guard")]
    #[inline]
    pub(crate) fn declares_same(&self, other: &LaunchSpec) -> bool {
        // Copies of one constant mostly share their lists and texts, which then need not be read.
        fn is_same<T: PartialEq + ?Sized>(a: &T, b: &T) -> bool {
            core::ptr::eq(a, b) || a == b
        }
        let (a, b) = (&self.check, &other.check);
        is_same(a.archs, b.archs)
            && is_same(a.compiled, b.compiled)
            && is_same(a.gpus, b.gpus)
            && a.launch == b.launch
            && a.kernel == b.kernel
            && a.registers_are_cap == b.registers_are_cap
            && a.ceilings == b.ceilings
            && a.requirement == b.requirement
            && self.on_mismatch == other.on_mismatch
            && self.log_waves == other.log_waves
    }

    /// Returns the check behind the spec.
    pub const fn check(&self) -> &Check<'static> {
        &self.check
    }

    /// Returns the launch's occupancy on one capability, which need not be a declared one.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if it cannot run there.
    pub const fn occupancy_on(&self, arch: Arch) -> Result<Occupancy, Refusal> {
        self.check.occupancy_on(arch)
    }

    /// Returns the most registers per thread with which the requirement holds on every declared capability, as far as
    /// registers are concerned. `None` if no number is low enough.
    ///
    /// ```
    /// use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement};
    ///
    /// // The registers are not known yet: everything else is checked, and this is what the kernel may use.
    /// const SPEC: LaunchSpec = LaunchSpec::new("k", &[Arch::SM_80], Kernel::new(), Launch::new(256))
    ///     .require(Requirement::new().min_occupancy(0.5));
    /// assert_eq!(SPEC.register_budget(), Some(64));
    /// ```
    pub const fn register_budget(&self) -> Option<u32> {
        self.check.register_budget()
    }

    /// Returns whether the launch needs more than 48 KiB of shared memory on a declared capability, and so the opt-in of
    /// the function.
    pub const fn needs_smem_optin(&self) -> bool {
        let mut at = 0;
        while at < self.check.archs.len() {
            let kernel = self.check.kernel_on(self.check.archs[at]);
            if self.check.launch.dynamic_smem as u64 + kernel.static_smem as u64 > Check::MAX_STATIC_SMEM as u64 {
                return true;
            }
            at += 1;
        }
        false
    }
}

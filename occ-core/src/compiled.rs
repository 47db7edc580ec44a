//! A kernel as it was compiled for one capability, and what was declared that it must stay within.

use crate::arch::Arch;
use crate::arithmetic::min;
use crate::kernel::Kernel;

/// A kernel as it was compiled for one capability: what an artifact says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compiled<'a> {
    /// The capability it is launched on.
    pub arch: Arch,
    /// Its resources there.
    pub kernel: Kernel,
    /// Local memory per thread in bytes; [`Compiled::UNBOUNDED`] for a kernel that calls itself. `None` if not known.
    pub stack: Option<u32>,
    /// Bytes of spilled registers per thread that are stored and loaded, together. `None` if not known.
    pub spills: Option<u32>,
    /// Minimum of blocks per SM that the kernel was compiled for (`.minnctapersm`). `None` if there is none or it is not
    /// known.
    pub min_blocks_per_sm: Option<u32>,
    /// Where this was read, as a message names it: ``"`saxpy` in kernels/saxpy.cubin, sm_80"``.
    pub source: &'a str,
}

impl<'a> Compiled<'a> {
    /// The stack of a kernel that calls itself.
    pub const UNBOUNDED: u32 = u32::MAX;

    /// Creates a compiled kernel from its resources on one capability and the place where they were read.
    pub const fn new(arch: Arch, kernel: Kernel, source: &'a str) -> Self {
        Compiled { arch, kernel, stack: None, spills: None, min_blocks_per_sm: None, source }
    }
}

/// The most a kernel may have of what can be changed about it, as advice tries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtMost {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub static_smem: u32,
    /// Named barriers of a block.
    pub barriers: u32,
}

impl AtMost {
    /// Creates limits that leave a kernel as it is.
    pub const fn new() -> Self {
        AtMost { registers: u32::MAX, static_smem: u32::MAX, barriers: u32::MAX }
    }

    pub(crate) const fn of(&self, mut kernel: Kernel) -> Kernel {
        if let Some(registers) = kernel.registers
            && registers > self.registers
        {
            kernel.registers = Some(self.registers);
        }
        kernel.static_smem = min(kernel.static_smem, self.static_smem);
        kernel.barriers = min(kernel.barriers, self.barriers);
        kernel
    }
}

impl Default for AtMost {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the kernel compiled for a capability, if `compiled` has one.
pub(crate) const fn compiled_for<'c>(compiled: &'c [Compiled<'c>], arch: Arch) -> Option<&'c Compiled<'c>> {
    let mut at = 0;
    while at < compiled.len() {
        if compiled[at].arch.index() == arch.index() {
            return Some(&compiled[at]);
        }
        at += 1;
    }
    None
}

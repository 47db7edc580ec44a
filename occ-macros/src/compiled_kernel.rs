//! A compiled kernel as an attribute's `cubin` has it.

use crate::diagnostics::TokenRange;
use crate::keys::Key;
use occ_core::Compiled;

/// What was read of a kernel for one compute capability, and where its file is named.
#[derive(Clone, Debug)]
pub(crate) struct CompiledKernel {
    /// Its numbers, without the source.
    pub(crate) numbers: Compiled<'static>,
    /// `` `saxpy` in kernels/saxpy.cubin, sm_80 ``
    pub(crate) source: String,
    /// Where the file is named.
    pub(crate) range: TokenRange,
    /// Keys for numbers that the file does not record.
    pub(crate) unrecorded: Vec<Key>,
    /// Whether the numbers are those after device linking.
    pub(crate) is_linked: bool,
}

impl CompiledKernel {
    /// Returns the kernel in the model's terms.
    pub(crate) fn model(&self) -> Compiled<'_> {
        let mut compiled: Compiled<'_> = self.numbers;
        compiled.source = &self.source;
        compiled
    }
}

/// The kernel to look for.
#[cfg_attr(not(feature = "cubin"), allow(dead_code))]
pub(crate) struct WantedKernel {
    pub(crate) name: String,
    /// Where it is named, or where `cubin` is declared.
    pub(crate) range: TokenRange,
    /// Whether `kernel` declares it; else it is the name of what is launched, or of the function.
    pub(crate) is_declared: bool,
}

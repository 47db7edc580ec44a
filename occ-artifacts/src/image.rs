//! A compiled kernel as one source describes it.

use crate::origin::{Origin, Toolkit};
use crate::target::CodeTarget;
use occ_core::{Arch, Compiled, Kernel, LaunchBounds};
use std::sync::Arc;

/// A compiled kernel for one target as one source describes it.
///
/// A value that the source does not state is `None`, never 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelImage {
    /// The mangled name in the artifact.
    pub name: Arc<str>,
    /// The target the code was built for. `None` if the source does not state it (`cuobjdump -res-usage` of a cubin).
    pub target: Option<CodeTarget>,
    /// Registers per thread at launch. A kernel with `setmaxnreg` changes them later.
    pub registers: Option<u32>,
    /// Static shared memory per block in bytes, without the part that the driver reserves.
    pub static_smem: Option<u32>,
    /// Named barriers that a block uses, 0 to 16: the highest number plus 1, and 16 where a register holds the number.
    pub barriers: Option<u32>,
    /// Local memory per thread.
    pub stack: Option<Stack>,
    /// Spilled registers, which only compiler logs state.
    pub spills: Option<Spills>,
    /// The kernel's own launch bounds. `None` if the source does not state whether it has any.
    pub bounds: Option<Bounds>,
    /// Minimum blocks per SM the kernel was compiled for (`.minnctapersm`, the second number of `__launch_bounds__`), which
    /// only PTX states.
    pub min_blocks_per_sm: Option<u32>,
    /// Tensor memory that the kernel allocates.
    pub tensor_memory: Option<TensorMemory>,
    /// Whether the kernel moves registers between its warps with `setmaxnreg`.
    pub setmaxnreg: Option<bool>,
    /// The CUDA toolkit that compiled it.
    pub toolkit: Option<Toolkit>,
    /// Whether the numbers are final. Those of an object for device linking (`-rdc=true`) can still grow. For a text that does
    /// not show whether the code is such an object, this is true.
    pub is_linked: bool,
    /// The place where the kernel was found.
    pub origin: Origin,
}

impl KernelImage {
    /// Creates a kernel with a name and a place; all other values are unknown.
    pub fn new(name: impl Into<Arc<str>>, origin: Origin) -> Self {
        KernelImage {
            name: name.into(),
            target: None,
            registers: None,
            static_smem: None,
            barriers: None,
            stack: None,
            spills: None,
            bounds: None,
            min_blocks_per_sm: None,
            tensor_memory: None,
            setmaxnreg: None,
            toolkit: None,
            is_linked: true,
            origin,
        }
    }
}

/// Virtual resources per block that allocates tensor memory: all of the SM.
const TENSOR_MEMORY_PERMIT: u32 = 128;

impl KernelImage {
    /// Returns the resources in the model's terms. Unknown values are the model's defaults: registers that limit nothing,
    /// no static shared memory, 1 barrier, no bounds, no tensor memory.
    ///
    /// ```
    /// use occ_artifacts::{Format, KernelImage, Origin};
    ///
    /// let mut image = KernelImage::new("saxpy", Origin::whole(Format::Cubin));
    /// image.registers = Some(32);
    /// assert_eq!(image.kernel().registers, Some(32));
    /// assert_eq!(image.kernel().barriers, 1);
    /// ```
    pub fn kernel(&self) -> Kernel {
        let bounds = self.bounds.unwrap_or_default();
        let uses_tensor_memory = matches!(self.tensor_memory, Some(TensorMemory::OneBlock | TensorMemory::TwoBlocks));
        let mut kernel = Kernel::new();
        kernel.registers = self.registers;
        kernel.static_smem = self.static_smem.unwrap_or(kernel.static_smem);
        kernel.barriers = self.barriers.unwrap_or(kernel.barriers);
        kernel.virtual_resources = if uses_tensor_memory { TENSOR_MEMORY_PERMIT } else { 0 };
        kernel.max_threads = bounds.max_threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        kernel.bounds = (bounds.launch != LaunchBounds::new()).then_some(bounds.launch);
        kernel
    }

    /// Returns the kernel as it runs on `arch`, in the model's terms; `source` is the place of the numbers in messages.
    ///
    /// The minimum blocks per SM apply only to the capability that the code was compiled for, not to later ones that run the
    /// same code.
    ///
    /// ```
    /// use occ_artifacts::{Format, KernelImage, Origin, Stack};
    /// use occ_core::{Arch, Compiled};
    ///
    /// let mut image = KernelImage::new("saxpy", Origin::whole(Format::Cubin));
    /// image.stack = Some(Stack::Unbounded);
    /// assert_eq!(image.compiled(Arch::SM_80, "`saxpy`").stack, Some(Compiled::UNBOUNDED));
    /// ```
    pub fn compiled<'a>(&self, arch: Arch, source: &'a str) -> Compiled<'a> {
        let is_for_arch = self.target.and_then(CodeTarget::known).is_some_and(|target| target.arch() == arch);
        let mut compiled = Compiled::new(arch, self.kernel(), source);
        compiled.stack = self.stack.map(|stack| match stack {
            Stack::Bytes(bytes) => bytes,
            Stack::Unbounded => Compiled::UNBOUNDED,
        });
        compiled.spills = self.spills.map(|spills| spills.stores.saturating_add(spills.loads));
        compiled.min_blocks_per_sm = self.min_blocks_per_sm.filter(|_| is_for_arch);
        compiled
    }
}

/// Local memory per thread: arrays, spilled registers, frames of called functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// A number of bytes per thread.
    Bytes(u32),
    /// Unknown at compile time: the kernel recurses, or calls functions that the compiler does not see.
    Unbounded,
}

/// Spilled registers in bytes per thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spills {
    /// Bytes stored.
    pub stores: u32,
    /// Bytes loaded.
    pub loads: u32,
}

/// A kernel's own launch bounds. A field that is `None` means that the kernel has no such bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The maximum threads per block along each axis; only the product counts (`__launch_bounds__`, `.maxntid`).
    pub max_threads: Option<[u32; 3]>,
    /// The cap on registers per thread during compilation (`.maxnreg`, `-maxrregcount`, or a result of its bounds).
    pub max_registers: Option<u32>,
    /// The bounds on block and cluster, in the model's terms.
    pub launch: LaunchBounds,
}

/// Tensor memory that a kernel allocates (10.0 and later).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorMemory {
    /// No tensor memory.
    Unused,
    /// Tensor memory that single blocks allocate.
    OneBlock,
    /// Tensor memory that pairs of blocks allocate.
    TwoBlocks,
}

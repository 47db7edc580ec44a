//! What one source says about one kernel.

use std::fmt;
use std::sync::Arc;

use occ_core::{Arch, Kernel, LaunchBounds, Target};
pub use occ_core::{Code, Portability};

/// What one source says about one kernel, for one target.
///
/// What a source cannot know is `None`, never 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelImage {
    /// The name in the artifact, mangled.
    pub name: Arc<str>,
    /// What the code was built for. `None` where the source does not say (`cuobjdump -res-usage` of a cubin).
    pub target: Option<CodeTarget>,
    /// Registers per thread at launch. A kernel with `setmaxnreg` changes them later.
    pub registers: Option<u32>,
    /// Static shared memory per block in bytes, without what the driver reserves.
    pub static_smem: Option<u32>,
    /// Named barriers a block uses, 0 to 16: the highest number plus 1, and 16 where a register holds the number.
    pub barriers: Option<u32>,
    /// Local memory per thread.
    pub stack: Option<Stack>,
    /// Spilled registers, of which only compiler logs tell.
    pub spills: Option<Spills>,
    /// What the kernel says of its own launch; `None` where the source does not say whether it has such bounds.
    pub bounds: Option<Bounds>,
    /// Blocks per SM the kernel was compiled for (`.minnctapersm`, the second number of `__launch_bounds__`), of which
    /// only PTX tells.
    pub min_blocks_per_sm: Option<u32>,
    /// Whether the kernel allocates tensor memory, and for how many blocks.
    pub tensor_memory: Option<TensorMemory>,
    /// Whether the kernel moves registers between its warps with `setmaxnreg`.
    pub setmaxnreg: Option<bool>,
    /// The toolkit that made it.
    pub toolkit: Option<Toolkit>,
    /// Whether the numbers are final: those of an object for device linking (`-rdc=true`) can still grow. A text does not
    /// always show that it is of such an object; then this is true.
    pub is_linked: bool,
    /// Where it was found.
    pub origin: Origin,
}

impl KernelImage {
    /// A kernel of which nothing is known but its name and where it was found.
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

/// What a block takes of the SM's virtual resources to allocate tensor memory: all of them.
const TENSOR_MEMORY_PERMIT: u32 = 128;

impl KernelImage {
    /// The resources in the model's terms. What the source does not know is as the model has it unasked: registers that
    /// limit nothing, no static shared memory, 1 barrier, no bounds, no tensor memory.
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
        Kernel {
            registers: self.registers,
            static_smem: self.static_smem.unwrap_or(0),
            barriers: self.barriers.unwrap_or(1),
            virtual_resources: if uses_tensor_memory { TENSOR_MEMORY_PERMIT } else { 0 },
            max_threads: bounds.max_threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
            bounds: bounds.of_launch(),
            ..Kernel::new()
        }
    }
}

impl Bounds {
    /// What these say of a launch besides its most threads, if anything.
    fn of_launch(&self) -> Option<LaunchBounds> {
        let bounds = LaunchBounds {
            required_block: self.required_block,
            required_cluster: self.cluster.required,
            max_cluster_blocks: self.cluster.max_blocks,
            needs_cluster: self.cluster.explicit,
            grid_counts_clusters: self.cluster.blocks_are_clusters,
        };
        (bounds != LaunchBounds::new()).then_some(bounds)
    }
}

/// What code was built for, whether or not the limits of that capability are known to [`occ_core`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeTarget {
    /// Ten times the capability: 86 for 8.6, 120 for 12.0.
    pub number: u32,
    /// Machine code or PTX.
    pub code: Code,
    /// Which suffix it has. A cubin alone does not tell `sm_100f` from `sm_100`.
    pub portability: Portability,
}

impl CodeTarget {
    /// The target in the model's terms, if its capability and suffix are known there.
    pub fn known(self) -> Option<Target> {
        Target::parse(&self.to_string()).ok()
    }

    /// Whether this code can run on a device of capability `arch`.
    pub fn runs_on(self, arch: Arch) -> bool {
        self.known().is_some_and(|target| target.runs_on(arch))
    }
}

impl fmt::Display for CodeTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match self.code {
            Code::Binary => "sm",
            Code::Ptx => "compute",
        };
        let suffix = match self.portability {
            Portability::Base => "",
            Portability::Family => "f",
            Portability::Specific => "a",
        };
        write!(f, "{code}_{}{suffix}", self.number)
    }
}

/// Local memory per thread: arrays, spilled registers, frames of called functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    /// This many bytes per thread.
    Bytes(u32),
    /// No bound is known when it is compiled: the kernel calls itself or what it cannot see.
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

/// What a kernel says of its own launch. `None` inside means that the kernel gives no such bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most threads per block, by their product (`__launch_bounds__`, `.maxntid`).
    pub max_threads: Option<[u32; 3]>,
    /// The one block it can be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// The cap on registers per thread it was compiled under (`.maxnreg`, `-maxrregcount`, or what its bounds left).
    pub max_registers: Option<u32>,
    /// Its clusters.
    pub cluster: Cluster,
}

/// What a kernel says of its clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The one cluster it can be launched with, in blocks (`__cluster_dims__`, `.reqnctapercluster`).
    pub required: Option<[u32; 3]>,
    /// Most blocks per cluster (the third number of `__launch_bounds__`, `.maxclusterrank`).
    pub max_blocks: Option<u32>,
    /// Whether it must be launched as clusters (`.explicitcluster`).
    pub explicit: bool,
    /// Whether the grid of a launch counts clusters (`.blocksareclusters`).
    pub blocks_are_clusters: bool,
}

/// Tensor memory a kernel allocates (10.0 and later).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMemory {
    /// None.
    Unused,
    /// Allocated by single blocks.
    OneBlock,
    /// Allocated by pairs of blocks.
    TwoBlocks,
}

/// A CUDA toolkit's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolkit {
    /// 13 of 13.5.
    pub major: u32,
    /// 5 of 13.5.
    pub minor: u32,
}

impl fmt::Display for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A cubin: machine code for one target.
    Cubin,
    /// PTX.
    Ptx,
    /// The log of `ptxas -v`, `nvcc --resource-usage` or NVRTC.
    CompilerLog,
    /// The text of `cuobjdump -res-usage`.
    ResourceUsage,
}

/// Where a kernel was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What it was read from in the end: a cubin in a fatbin in a shared library is a cubin.
    pub format: Format,
    /// The member of an archive it was in.
    pub member: Option<Arc<str>>,
    /// The section of a host file that held its fatbin: `.nv_fatbin`, `__nv_relfatbin`, `.nv_fatb`.
    pub section: Option<Arc<str>>,
    /// Which fatbin of those in the file or section, from 0.
    pub container: Option<u32>,
    /// Which entry of that fatbin, from 0.
    pub entry: Option<u32>,
    /// Where in the file: the first byte of the cubin or PTX, compressed or not; in a text the kernel's first line.
    pub offset: u64,
}

impl Origin {
    /// A file that is nothing but this.
    pub fn whole(format: Format) -> Self {
        Origin { format, member: None, section: None, container: None, entry: None, offset: 0 }
    }
}

//! The quantities of a kernel that sources can state differently.

use crate::image::{KernelImage, Stack};
use crate::origin::Format;
use std::fmt;

/// A quantity of a kernel that two sources can state differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// Registers per thread.
    Registers,
    /// Static shared memory per block.
    StaticSmem,
    /// Named barriers per block.
    Barriers,
    /// Local memory per thread.
    Stack,
    /// Spilled registers.
    Spills,
    /// The kernel's own bound on threads per block.
    MaxThreads,
    /// The block the kernel must be launched with.
    RequiredBlock,
    /// The kernel's own clusters.
    Cluster,
    /// Minimum blocks per SM the kernel was compiled for.
    MinBlocksPerSm,
}

impl Quantity {
    const ALL: [Quantity; 9] = [
        Quantity::Registers,
        Quantity::StaticSmem,
        Quantity::Barriers,
        Quantity::Stack,
        Quantity::Spills,
        Quantity::MaxThreads,
        Quantity::RequiredBlock,
        Quantity::Cluster,
        Quantity::MinBlocksPerSm,
    ];

    /// Returns the name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Quantity::Registers => "registers",
            Quantity::StaticSmem => "static shared memory",
            Quantity::Barriers => "barriers",
            Quantity::Stack => "stack",
            Quantity::Spills => "spills",
            Quantity::MaxThreads => "bounds on threads",
            Quantity::RequiredBlock => "required blocks",
            Quantity::Cluster => "clusters",
            Quantity::MinBlocksPerSm => "minimum blocks per SM",
        }
    }

    /// Returns the value that an image states, as text.
    pub(crate) fn of(self, image: &KernelImage) -> Option<String> {
        let axes = |axes: Option<[u32; 3]>| axes.map_or("none".to_owned(), |[x, y, z]| format!("{x} × {y} × {z}"));
        match self {
            Quantity::Registers => image.registers.map(|count| count.to_string()),
            Quantity::StaticSmem => image.static_smem.map(|bytes| format!("{bytes} bytes")),
            Quantity::Barriers => image.barriers.map(|count| count.to_string()),
            Quantity::Stack => image.stack.map(|stack| match stack {
                Stack::Bytes(bytes) => format!("{bytes} bytes"),
                Stack::Unbounded => "unbounded".to_owned(),
            }),
            Quantity::Spills => {
                image.spills.map(|spills| format!("{} bytes stored and {} loaded", spills.stores, spills.loads))
            }
            Quantity::MaxThreads => image.bounds.map(|bounds| axes(bounds.max_threads)),
            Quantity::RequiredBlock => image.bounds.map(|bounds| axes(bounds.launch.required_block)),
            Quantity::Cluster => image.bounds.map(|bounds| {
                let max = bounds.launch.max_cluster_blocks.map_or("any".to_owned(), |max| max.to_string());
                format!("{}, at most {max}", axes(bounds.launch.required_cluster))
            }),
            Quantity::MinBlocksPerSm => image.min_blocks_per_sm.map(|count| count.to_string()),
        }
    }

    /// Returns whether sources of these two kinds must agree on it.
    ///
    /// PTX only estimates shared memory. Logs and `cuobjdump` of some toolkits leave out the stack of called functions.
    fn must_agree(self, one: Format, other: Format) -> bool {
        match self {
            Quantity::StaticSmem => (one == Format::Ptx) == (other == Format::Ptx),
            Quantity::Stack => one == other,
            _ => true,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the first quantity that two images of one kernel state differently, and both values.
pub(crate) fn difference(one: &KernelImage, other: &KernelImage) -> Option<(Quantity, [String; 2])> {
    let (format, other_format) = (one.origin.format, other.origin.format);
    Quantity::ALL.into_iter().filter(|quantity| quantity.must_agree(format, other_format)).find_map(|quantity| {
        let (one, other) = (quantity.of(one)?, quantity.of(other)?);
        (one != other).then_some((quantity, [one, other]))
    })
}

//! The resources of an SM, and how many blocks each would admit.

use core::fmt;

/// Something of which an SM has only so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Resource {
    /// Places for warps.
    Warps,
    /// Places for blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Named barriers (9.0 and later).
    Barriers,
    /// Virtual resources, that is tensor-memory permits (10.x to 12.x).
    VirtualResources,
}

impl Resource {
    /// Every resource, in the order they are reported.
    pub const ALL: [Resource; 6] = [
        Resource::Registers,
        Resource::SharedMemory,
        Resource::Barriers,
        Resource::VirtualResources,
        Resource::Warps,
        Resource::Blocks,
    ];

    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Resource::Warps => "warps",
            Resource::Blocks => "blocks",
            Resource::Registers => "registers",
            Resource::SharedMemory => "shared memory",
            Resource::Barriers => "barriers",
            Resource::VirtualResources => "virtual resources",
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many blocks each resource would admit on one SM. `None`: the launch uses nothing of it, or it does not limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BlockLimits {
    /// By places for warps.
    pub warps: u32,
    /// By places for blocks.
    pub blocks: u32,
    /// By registers.
    pub registers: Option<u32>,
    /// By shared memory.
    pub shared_memory: Option<u32>,
    /// By named barriers.
    pub barriers: Option<u32>,
    /// By virtual resources.
    pub virtual_resources: Option<u32>,
}

impl BlockLimits {
    /// The limit of one resource.
    pub const fn of(&self, resource: Resource) -> Option<u32> {
        match resource {
            Resource::Warps => Some(self.warps),
            Resource::Blocks => Some(self.blocks),
            Resource::Registers => self.registers,
            Resource::SharedMemory => self.shared_memory,
            Resource::Barriers => self.barriers,
            Resource::VirtualResources => self.virtual_resources,
        }
    }

    /// The lowest of them: blocks per SM.
    #[inline(always)]
    pub const fn lowest(&self) -> u32 {
        let mut lowest = if self.warps < self.blocks { self.warps } else { self.blocks };
        if let Some(limit) = self.registers
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.shared_memory
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.barriers
            && limit < lowest
        {
            lowest = limit;
        }
        if let Some(limit) = self.virtual_resources
            && limit < lowest
        {
            lowest = limit;
        }
        lowest
    }

    /// The resources whose limit is the lowest. Several can tie.
    pub const fn limiters(&self) -> Limiters {
        Limiters { limits: *self, lowest: self.lowest(), at: 0 }
    }

    /// Whether `resource` is one of those with the lowest limit.
    pub const fn is_limiter(&self, resource: Resource) -> bool {
        match self.of(resource) {
            Some(limit) => limit == self.lowest(),
            None => false,
        }
    }
}

/// The resources that limit a launch, see [`BlockLimits::limiters`].
#[derive(Clone, Debug)]
pub struct Limiters {
    limits: BlockLimits,
    lowest: u32,
    at: usize,
}

impl Iterator for Limiters {
    type Item = Resource;

    fn next(&mut self) -> Option<Resource> {
        while let Some(&resource) = Resource::ALL.get(self.at) {
            self.at += 1;
            if self.limits.of(resource) == Some(self.lowest) {
                return Some(resource);
            }
        }
        None
    }
}

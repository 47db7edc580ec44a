//! The resources of an SM, and how many blocks each would admit.

use core::fmt;

/// A resource of an SM that limits how many blocks it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Resource {
    /// Slots for warps.
    Warps,
    /// Slots for blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Named barriers (9.0 and later).
    Barriers,
    /// Virtual resources: tensor-memory permits (10.x to 12.x).
    VirtualResources,
}

impl Resource {
    /// Every resource, in the order in which messages list them.
    pub const ALL: [Resource; 6] = [
        Resource::Registers,
        Resource::SharedMemory,
        Resource::Barriers,
        Resource::VirtualResources,
        Resource::Warps,
        Resource::Blocks,
    ];

    /// Returns the name that messages use.
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

/// The block limit of each resource: how many blocks per SM it admits on its own.
///
/// `None` where the launch uses nothing of the resource, or the SM does not limit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BlockLimits {
    /// Block limit by warp slots.
    pub warps: u32,
    /// Block limit by block slots.
    pub blocks: u32,
    /// Block limit by registers.
    pub registers: Option<u32>,
    /// Block limit by shared memory.
    pub shared_memory: Option<u32>,
    /// Block limit by named barriers.
    pub barriers: Option<u32>,
    /// Block limit by virtual resources.
    pub virtual_resources: Option<u32>,
}

impl BlockLimits {
    /// Returns the block limit of one resource.
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

    /// Returns the lowest block limit: the blocks per SM.
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

    /// Returns the limiters: the resources with the lowest block limit. Several can tie.
    pub const fn limiters(&self) -> Limiters {
        Limiters { limits: *self, lowest: self.lowest(), at: 0 }
    }

    /// Returns whether `resource` has the lowest block limit, alone or with others.
    pub const fn is_limiter(&self, resource: Resource) -> bool {
        match self.of(resource) {
            Some(limit) => limit == self.lowest(),
            None => false,
        }
    }
}

/// An iterator over the resources with the lowest block limit, made by [`BlockLimits::limiters`].
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

//! The current device as its driver describes it, and where the table of limits differs.

use crate::driver::{Device, DeviceAttribute as Attribute, Driver, DriverError};
use core::num::NonZeroU32;
use occ_core::{Arch, SmLimits};
use std::string::String;
use std::vec::Vec;

/// A device as its driver describes it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DeviceReport {
    /// Ordinal of the device.
    pub device: Device,
    /// Name of the product.
    pub name: String,
    /// Compute capability, major and minor.
    pub capability: [u32; 2],
    /// The capability, if the model knows it.
    pub arch: Option<Arch>,
    /// Number of SMs.
    pub sm_count: u32,
    /// Whether the device launches clusters. `None` if the driver is older than CUDA 11.8.
    pub clusters: Option<bool>,
    /// Limits of an SM: the driver's where it reports them, the table's for the rest (allocation units, barriers,
    /// carve-outs). `None` if the model does not know the capability.
    pub limits: Option<SmLimits>,
    /// Most resident threads of an SM.
    pub max_threads_per_sm: u32,
    /// Threads in a warp, at least 1.
    pub warp_size: NonZeroU32,
    /// Most threads of a block.
    pub max_threads_per_block: u32,
    /// Most blocks along x, y and z of a grid.
    pub max_grid_axes: [u32; 3],
    /// Limits that differ between the table and the driver: defects of the table.
    pub differences: Vec<LimitDifference>,
}

/// A limit that differs between the model's table and the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LimitDifference {
    /// Attribute of the device.
    pub attribute: Attribute,
    /// Value in the table.
    pub table: u32,
    /// Value that the driver reports.
    pub driver: u32,
}

impl DeviceReport {
    /// Reads the device with at most 21 calls of the driver.
    pub(super) fn read(driver: &dyn Driver, device: Device) -> Result<DeviceReport, DriverError> {
        let number = |attribute| Ok(unsigned(driver.device_attribute(device, attribute)?));
        // Older drivers do not know the newer attributes.
        let optional = |attribute| match driver.device_attribute(device, attribute) {
            Ok(value) => Ok(u32::try_from(value).ok()),
            Err(error) if error.code == DriverError::INVALID_VALUE => Ok(None),
            Err(error) => Err(error),
        };
        let capability = [number(Attribute::ComputeCapabilityMajor)?, number(Attribute::ComputeCapabilityMinor)?];
        let arch = Arch::new(capability[0], capability[1]);
        let warp_size = NonZeroU32::new(number(Attribute::WarpSize)?).unwrap_or(WARP);
        let max_threads_per_sm = number(Attribute::MaxThreadsPerMultiprocessor)?;
        let mut table = TableComparison { arch, differences: Vec::new() };
        let table_threads = |sm: &SmLimits| sm.max_threads_per_sm();
        let max_threads_per_block = number(Attribute::MaxThreadsPerBlock)?;
        let block = [Attribute::MaxBlockDimX, Attribute::MaxBlockDimY, Attribute::MaxBlockDimZ];
        let grid = [Attribute::MaxGridDimX, Attribute::MaxGridDimY, Attribute::MaxGridDimZ];
        let (mut max_block_axes, mut max_grid_axes) = ([0; 3], [0; 3]);
        for axis in 0..3 {
            max_block_axes[axis] = table.driver(block[axis], number(block[axis])?, |sm| sm.max_block_axes[axis]);
            max_grid_axes[axis] = table.driver(grid[axis], number(grid[axis])?, |sm| sm.max_grid_axes[axis]);
        }
        table.driver(Attribute::WarpSize, warp_size.get(), |sm| sm.warp_size.get());
        table.driver(Attribute::MaxThreadsPerMultiprocessor, max_threads_per_sm, table_threads);
        table.driver(Attribute::MaxThreadsPerBlock, max_threads_per_block, |sm| sm.max_threads_per_block);
        let mut required = |attribute, of: fn(&SmLimits) -> u32| Ok(table.driver(attribute, number(attribute)?, of));
        let registers_per_block = required(Attribute::MaxRegistersPerBlock, |sm| sm.registers_per_block)?;
        let registers_per_sm = required(Attribute::MaxRegistersPerMultiprocessor, |sm| sm.registers_per_sm)?;
        let smem_per_block = required(Attribute::MaxSharedMemoryPerBlock, |sm| sm.smem_per_block)?;
        let smem_per_sm = required(Attribute::MaxSharedMemoryPerMultiprocessor, |sm| sm.smem_per_sm)?;
        let mut newer = |attribute, of: fn(&SmLimits) -> u32| {
            Ok::<_, DriverError>(optional(attribute)?.map(|value| table.driver(attribute, value, of)))
        };
        let optin = newer(Attribute::MaxSharedMemoryPerBlockOptin, |sm| sm.smem_per_block_optin)?;
        let blocks = newer(Attribute::MaxBlocksPerMultiprocessor, |sm| sm.max_blocks_per_sm)?;
        let reserved = newer(Attribute::ReservedSharedMemoryPerBlock, |sm| sm.smem_reserved_per_block)?;
        let clusters = optional(Attribute::ClusterLaunch)?.map(|value| value != 0);
        let limits = arch.map(|arch| {
            let mut sm = *arch.limits();
            sm.warp_size = warp_size;
            sm.max_threads_per_block = max_threads_per_block;
            sm.max_block_axes = max_block_axes;
            sm.max_grid_axes = max_grid_axes;
            sm.max_warps_per_sm = max_threads_per_sm / warp_size;
            sm.max_blocks_per_sm = blocks.unwrap_or(sm.max_blocks_per_sm);
            sm.registers_per_sm = registers_per_sm;
            sm.registers_per_block = registers_per_block;
            sm.smem_per_sm = smem_per_sm;
            sm.smem_per_block = smem_per_block;
            sm.smem_per_block_optin = optin.unwrap_or(sm.smem_per_block_optin);
            sm.smem_reserved_per_block = reserved.unwrap_or(sm.smem_reserved_per_block);
            sm
        });
        Ok(DeviceReport {
            device,
            name: driver.device_name(device)?,
            capability,
            arch,
            sm_count: number(Attribute::MultiprocessorCount)?,
            clusters,
            limits,
            max_threads_per_sm,
            warp_size,
            max_threads_per_block,
            max_grid_axes,
            differences: table.differences,
        })
    }

    /// Returns the most resident warps of an SM.
    pub fn max_warps_per_sm(&self) -> u32 {
        self.max_threads_per_sm / self.warp_size
    }
}

const WARP: NonZeroU32 = NonZeroU32::new(32).expect("a warp is not empty");

/// Converts a limit; a negative one counts as 0.
fn unsigned(value: i32) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

/// Compares the driver's limits with the table's.
struct TableComparison {
    arch: Option<Arch>,
    differences: Vec<LimitDifference>,
}

impl TableComparison {
    /// Returns the driver's number, and records the table's if it differs.
    fn driver(&mut self, attribute: Attribute, driver: u32, of: impl Fn(&SmLimits) -> u32) -> u32 {
        if let Some(arch) = self.arch {
            let table = of(arch.limits());
            if table != driver {
                self.differences.push(LimitDifference { attribute, table, driver });
            }
        }
        driver
    }
}

//! A loaded function as the driver describes it.

use crate::driver::{Driver, DriverError, Function, FunctionAttribute as Attribute};

/// A function as the driver describes it. `None` where a driver is too old to know the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FunctionReport {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub static_smem: u32,
    /// Local memory per thread, in bytes.
    pub local: u32,
    /// Most threads of a block that it can be launched with.
    pub max_threads: u32,
    /// PTX version it was compiled from, as 10 × major + minor.
    pub ptx_version: u32,
    /// Capability that its binary is for, major and minor.
    pub binary: [u32; 2],
    /// Most dynamic shared memory of a launch, in bytes, before the guard raised it.
    pub max_dynamic_smem: Option<u32>,
    /// Preferred carve-out in percent; `None` for no preference.
    pub carveout: Option<u32>,
    /// Cluster it was compiled for.
    pub required_cluster: Option<[u32; 3]>,
    /// Whether it must be launched with clusters.
    pub needs_cluster: Option<bool>,
    /// Whether clusters above the portable size are allowed, before the guard allowed them.
    pub non_portable_clusters: Option<bool>,
}

impl FunctionReport {
    /// Reads the function with 8 calls of the driver, and 5 more where there can be clusters.
    pub(super) fn read(
        driver: &dyn Driver,
        function: Function,
        has_clusters: bool,
    ) -> Result<FunctionReport, DriverError> {
        let number = |attribute| Ok(u32::try_from(driver.function_attribute(function, attribute)?).unwrap_or(0));
        let newer = |attribute| match driver.function_attribute(function, attribute) {
            Ok(value) => Ok(u32::try_from(value).ok()),
            Err(error) if error.code == DriverError::INVALID_VALUE => Ok(None),
            Err(error) => Err(error),
        };
        let clusters = |attribute| if has_clusters { newer(attribute) } else { Ok(None) };
        let binary = number(Attribute::BinaryVersion)?;
        let required_cluster = match clusters(Attribute::RequiredClusterWidth)? {
            Some(x @ 1..) => {
                let axis = |attribute| Ok::<_, DriverError>(clusters(attribute)?.unwrap_or(1).max(1));
                Some([x, axis(Attribute::RequiredClusterHeight)?, axis(Attribute::RequiredClusterDepth)?])
            }
            _ => None,
        };
        Ok(FunctionReport {
            registers: number(Attribute::NumRegs)?,
            static_smem: number(Attribute::SharedSizeBytes)?,
            local: number(Attribute::LocalSizeBytes)?,
            max_threads: number(Attribute::MaxThreadsPerBlock)?,
            ptx_version: number(Attribute::PtxVersion)?,
            binary: [binary / 10, binary % 10],
            max_dynamic_smem: newer(Attribute::MaxDynamicSharedSizeBytes)?,
            carveout: newer(Attribute::PreferredSharedMemoryCarveout)?,
            required_cluster,
            needs_cluster: clusters(Attribute::ClusterSizeMustBeSet)?.map(|value| value != 0),
            non_portable_clusters: clusters(Attribute::NonPortableClusterSizeAllowed)?.map(|value| value != 0),
        })
    }
}

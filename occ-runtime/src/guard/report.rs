//! Everything read and compared of one launch, for bug reports and for programs.

use super::compare::{Compared, Comparison};
use super::device::DeviceReport;
use super::error::{Message, worst_first};
use super::function::FunctionReport;
use super::mismatch::Finding;
use super::prepare::{Prepared, lock_attributes, prepare};
use crate::driver::{ClusterLaunch, Driver, DriverError, Function};
use crate::spec::LaunchSpec;
use core::fmt;
use occ_core::{Arch, Kernel, Launch, Occupancy, Refusal, Requirement};
use std::vec::Vec;

/// Everything read and compared of one launch.
///
/// [`Display`](fmt::Display) writes it as text for a bug report, the feature `serde` in other formats.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// Version of this crate.
    pub version: &'static str,
    /// Name of the spec's kernel.
    pub kernel: &'static str,
    /// Launch as it was checked.
    pub launch: Launch,
    /// Requirement of the spec.
    pub requirement: Requirement,
    /// Capabilities that the spec was checked for.
    pub archs: &'static [Arch],
    /// Kernel as declared, or as read from an artifact, for this device.
    pub declared: Kernel,
    /// Device of the current context.
    pub device: DeviceReport,
    /// Function of the launch.
    pub function: FunctionReport,
    /// Attributes of the function that the guard changed.
    pub prepared: Prepared,
    /// Driver's blocks per SM.
    pub blocks_per_sm: u32,
    /// Driver's number of clusters on the device; `None` for a launch without clusters, or if the driver cannot tell.
    pub active_clusters: Option<u32>,
    /// Model's answer with the limits that the driver reports. `None` if it does not know the capability.
    pub model: Option<Result<Occupancy, Refusal>>,
    /// Whether the driver's static shared memory seems to include what it reserves in each block.
    pub static_smem_has_reserved: bool,
    /// All differences, the worst first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Reads the function, prepares it, and compares: with at most 13 calls for the attributes, one for each of 3 that are
    /// raised, and 3 for the driver's occupancy.
    pub(super) fn make(
        driver: &dyn Driver,
        spec: &LaunchSpec,
        function: Function,
        device: &DeviceReport,
        passes_cluster: bool,
    ) -> Result<Report, DriverError> {
        let launch = spec.shape();
        let lock = lock_attributes(launch);
        let attributes = FunctionReport::read(driver, function, device.clusters == Some(true))?;
        let portable = device.limits.and_then(|sm| sm.max_cluster_portable);
        // A launch without a cluster has the one the kernel was compiled for.
        let mut with_cluster = *launch;
        with_cluster.cluster = launch.cluster.or(attributes.required_cluster);
        let prepared = prepare(driver, function, &attributes, &with_cluster, portable)?;
        drop(lock);
        let blocks_per_sm = driver.max_active_blocks_per_sm(function, launch.threads(), launch.dynamic_smem)?;
        let active_clusters = active_clusters(driver, function, &with_cluster, device.clusters)?;
        let comparison =
            Comparison { spec, device, function: &attributes, passes_cluster, blocks_per_sm, active_clusters };
        let declared = comparison.declared();
        let Compared { model, static_smem_has_reserved, mut findings } = comparison.run();
        worst_first(&mut findings);
        Ok(Report {
            version: env!("CARGO_PKG_VERSION"),
            kernel: spec.name(),
            launch: *launch,
            requirement: *spec.requirement(),
            archs: spec.archs(),
            declared,
            device: device.clone(),
            function: attributes,
            prepared,
            blocks_per_sm,
            active_clusters,
            model,
            static_smem_has_reserved,
            findings,
        })
    }

    /// Returns the driver's occupancy: resident warps ÷ warps that an SM can hold.
    pub fn occupancy(&self) -> f64 {
        let warps = self.launch.threads().div_ceil(self.device.warp_size.get()).saturating_mul(self.blocks_per_sm);
        f64::from(warps) / f64::from(self.device.max_warps_per_sm().max(1))
    }
}

/// Returns the clusters of the launch that the device holds; `None` without clusters, or if the driver cannot tell.
fn active_clusters(
    driver: &dyn Driver,
    function: Function,
    launch: &Launch,
    has_clusters: Option<bool>,
) -> Result<Option<u32>, DriverError> {
    let Some(cluster) = launch.cluster else {
        return Ok(None);
    };
    // A cluster of one block is a launch without clusters. A device without clusters holds no larger one, and is not asked,
    // since it answers with an error.
    if has_clusters == Some(false) {
        return Ok((cluster != [1; 3]).then_some(0));
    }
    // One cluster: how many fit does not depend on the grid.
    let asked = ClusterLaunch { grid: cluster, block: launch.block, cluster, dynamic_smem: launch.dynamic_smem };
    match driver.max_active_clusters(function, &asked) {
        Ok(clusters) => Ok(Some(clusters)),
        Err(error) if error.code == DriverError::NOT_FOUND => Ok(None),
        // What the driver answers to a cluster that is too large.
        Err(error) if matches!(error.code, DriverError::INVALID_CLUSTER_SIZE | DriverError::INVALID_VALUE) => {
            Ok(Some(0))
        }
        Err(error) => Err(error),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kernel, device, function, launch, findings, .. } = self;
        writeln!(f, "{}", Message { kernel, device: &device.name, capability: device.capability, findings })?;
        writeln!(f, "  occ-runtime {}, checked for {:?}, {:?}", self.version, self.archs, self.requirement)?;
        writeln!(f, "  launch: {launch:?}")?;
        writeln!(f, "  declared: {:?}", self.declared)?;
        writeln!(f, "  function: {function:?}")?;
        writeln!(f, "  prepared: {:?}", self.prepared)?;
        writeln!(
            f,
            "  device: {} SMs, {} warps per SM, {:?}",
            device.sm_count,
            device.max_warps_per_sm(),
            device.limits
        )?;
        write!(f, "  driver: {} blocks per SM, clusters {:?}; ", self.blocks_per_sm, self.active_clusters)?;
        match &self.model {
            Some(Ok(answer)) => write!(f, "model: {} blocks per SM, {:?}", answer.blocks_per_sm, answer.limits),
            Some(Err(refusal)) => write!(f, "model: {refusal}"),
            None => f.write_str("the model does not know this capability"),
        }
    }
}

//! [`Gpu`]: a product, which fixes the compute capability and the number of SMs.

use crate::arch::Arch;

/// How reliable the SM count and the capability of a GPU are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Confidence {
    /// Reported by the driver of a real device.
    High,
    /// Taken from a product database, and consistent with the published number of cores.
    Medium,
    /// Announced or inferred, not confirmed on a device.
    Low,
}

/// A GPU product.
///
/// ```
/// use occ_core::{Arch, Gpu};
///
/// let gpu = Gpu::find("rtx 4090").unwrap();
/// assert_eq!((gpu.name, gpu.arch, gpu.sm_count), ("GeForce RTX 4090", Arch::SM_89, 128));
///
/// // The SM count does not follow from the capability: these have the same one.
/// assert_eq!(Gpu::find("H20").unwrap().sm_count, 78);
/// assert!(Gpu::find("H100").is_err()); // 114 SMs on PCIe, 132 on SXM5
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Gpu {
    /// Name of the product.
    pub name: &'static str,
    /// Name that the driver reports; empty if it is not known.
    pub driver_name: &'static str,
    /// Compute capability.
    pub arch: Arch,
    /// Number of SMs, without MIG.
    pub sm_count: u32,
    /// Reliability of capability and SM count.
    pub confidence: Confidence,
}

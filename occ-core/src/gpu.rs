//! GPUs by name: a product fixes the compute capability and the number of SMs.

use crate::arch::Arch;

/// How sure the SM count and the capability of a GPU are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Confidence {
    /// Read off a real device by its driver.
    High,
    /// From a database of products, and consistent with the published number of cores.
    Medium,
    /// Announced or inferred; not confirmed on a device.
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
/// // The same capability, other products: an SM count never follows from the capability.
/// assert_eq!(Gpu::find("H20").unwrap().sm_count, 78);
/// assert!(Gpu::find("H100").is_err()); // 114 SMs on PCIe, 132 on SXM5
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Gpu {
    /// The product's name.
    pub name: &'static str,
    /// The name its driver gives, where one was seen, else empty.
    pub driver_name: &'static str,
    /// Its compute capability.
    pub arch: Arch,
    /// Its SMs, without MIG.
    pub sm_count: u32,
    /// How sure these are.
    pub confidence: Confidence,
}

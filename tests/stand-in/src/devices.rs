//! The devices of the double.

use crate::recorded::Recorded;
use std::collections::BTreeMap;

/// A device: its name, and its attributes by their numbers in `cuda.h`.
#[derive(Clone, Debug)]
pub struct DeviceModel {
    /// Name of the product.
    pub name: String,
    /// Answers of `cuDeviceGetAttribute`, which returns 1 for any other number.
    pub attributes: BTreeMap<i32, i32>,
    /// Answers of `cuOccupancyMaxActiveClusters`, by the blocks of a cluster.
    pub active_clusters: BTreeMap<u32, u32>,
}

impl DeviceModel {
    /// Numbers that differ between capabilities are what NVIDIA's header was told (`tests/data/golden`); blocks of an SM
    /// are those of NVIDIA's programming guide, SM counts those of `tests/data/gpus.csv`.
    fn new(name: &str, capability: [u32; 2], sm_count: i32, blocks_per_sm: i32, has_clusters: bool) -> Self {
        let recorded = Recorded::of(capability).expect("there are answers for the devices of the double");
        let [major, minor, block, threads, registers_block, registers, warp, smem_block, smem, optin, reserved] =
            recorded.properties.map(u32::cast_signed);
        let attributes = BTreeMap::from([
            (1, block),
            (2, 1024),
            (3, 1024),
            (4, 64),
            (5, i32::MAX),
            (6, 65_535),
            (7, 65_535),
            (8, smem_block),
            (10, warp),
            (12, registers_block),
            (16, sm_count),
            (39, threads),
            (41, 1),
            (75, major),
            (76, minor),
            (81, smem),
            (82, registers),
            (97, optin),
            (106, blocks_per_sm),
            (111, reserved),
            (115, 0),
            (120, i32::from(has_clusters)),
        ]);
        DeviceModel { name: name.to_owned(), attributes, active_clusters: BTreeMap::new() }
    }

    /// Tesla T4: 7.5, 40 SMs.
    pub fn tesla_t4() -> Self {
        Self::new("Tesla T4", [7, 5], 40, 16, false)
    }

    /// A100: 8.0, 108 SMs.
    pub fn a100() -> Self {
        Self::new("NVIDIA A100-SXM4-80GB", [8, 0], 108, 32, false)
    }

    /// GeForce RTX 3090: 8.6, 82 SMs.
    pub fn rtx_3090() -> Self {
        Self::new("NVIDIA GeForce RTX 3090", [8, 6], 82, 16, false)
    }

    /// GeForce RTX 4090: 8.9, 128 SMs.
    pub fn rtx_4090() -> Self {
        Self::new("NVIDIA GeForce RTX 4090", [8, 9], 128, 24, false)
    }

    /// H100 SXM5: 9.0, 132 SMs.
    pub fn h100() -> Self {
        Self::new("NVIDIA H100 80GB HBM3", [9, 0], 132, 32, true)
    }

    /// B200: 10.0, 148 SMs.
    pub fn b200() -> Self {
        Self::new("NVIDIA B200", [10, 0], 148, 32, true)
    }

    /// GeForce RTX 5090: 12.0, 170 SMs.
    pub fn rtx_5090() -> Self {
        Self::new("NVIDIA GeForce RTX 5090", [12, 0], 170, 24, true)
    }

    /// The names of [`named`](Self::named).
    pub const NAMES: [&str; 7] = ["t4", "a100", "rtx_3090", "rtx_4090", "h100", "b200", "rtx_5090"];

    /// Returns the device of a name such as `t4` or `rtx_4090`.
    pub fn named(name: &str) -> Option<Self> {
        let devices =
            [Self::tesla_t4, Self::a100, Self::rtx_3090, Self::rtx_4090, Self::h100, Self::b200, Self::rtx_5090];
        let place = Self::NAMES.iter().position(|known| *known == name)?;
        Some(devices[place]())
    }

    /// Returns an attribute by its number, or 0 if there is none.
    pub fn attribute(&self, number: i32) -> i32 {
        self.attributes.get(&number).copied().unwrap_or(0)
    }

    /// Returns the compute capability, major and minor.
    pub fn capability(&self) -> [u32; 2] {
        [self.attribute(75).unsigned_abs(), self.attribute(76).unsigned_abs()]
    }
}

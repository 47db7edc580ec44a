//! The waves of a grid on a device, and their lines in the log.

use super::device::DeviceReport;
use super::enforce::LOG_TARGET;
use crate::spec::LaunchSpec;
use occ_core::Waves;
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns how a grid is spread over a device, or `None` for an empty grid.
pub(super) fn waves(device: &DeviceReport, blocks_per_sm: u32, grid: [u32; 3]) -> Option<Waves> {
    let blocks = grid.into_iter().map(u64::from).fold(1, u64::saturating_mul);
    Waves::new(blocks, blocks_per_sm, device.sm_count)
}

/// Logs the waves of a spec's grids, each time that their number of blocks changes.
#[derive(Debug)]
pub(super) struct WaveLog {
    last_blocks: AtomicU64,
}

impl WaveLog {
    pub(super) const fn new() -> Self {
        WaveLog { last_blocks: AtomicU64::new(0) }
    }

    #[cold]
    pub(super) fn log(&self, spec: &LaunchSpec, device: &DeviceReport, blocks_per_sm: u32, grid: [u32; 3]) {
        let Some(waves) = waves(device, blocks_per_sm, grid) else {
            return;
        };
        if self.last_blocks.swap(waves.blocks(), Ordering::Relaxed) == waves.blocks() {
            return;
        }
        let (kernel, device, [major, minor]) = (spec.name(), &device.name, device.capability);
        log::info!(target: LOG_TARGET, "`{kernel}` on {device} (sm_{major}{minor}): {waves}");
    }
}

//! The limits of a grid, which hold at every launch.

use super::device::DeviceReport;
use crate::spec::LaunchSpec;
use core::cmp::Ordering::Greater;
use occ_core::{Axis, Refusal};

/// What a grid must keep to on a device: the length of each axis, and whole clusters.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridRule {
    max_axes: [u32; 3],
    /// Blocks of a cluster along x, y and z; each axis of the grid must be a multiple of it.
    cluster: Option<[u32; 3]>,
}

impl GridRule {
    pub(super) fn new(spec: &LaunchSpec, device: &DeviceReport) -> Self {
        let kernel = device.arch.map_or(*spec.kernel(), |arch| spec.kernel_on(arch));
        let bounds = kernel.bounds.unwrap_or_default();
        let cluster = spec.shape().cluster.or(bounds.required_cluster).filter(|_| !bounds.grid_counts_clusters);
        GridRule { max_axes: device.max_grid_axes, cluster }
    }

    #[inline]
    pub(super) fn allows(&self, [x, y, z]: [u32; 3]) -> bool {
        let [max_x, max_y, max_z] = self.max_axes;
        // An empty axis wraps around to the largest number, which no limit allows.
        let fits = (x.wrapping_sub(1) < max_x) & (y.wrapping_sub(1) < max_y) & (z.wrapping_sub(1) < max_z);
        fits && match self.cluster {
            None => true,
            Some(cluster) => [x, y, z].into_iter().zip(cluster).all(|(grid, cluster)| is_multiple(grid, cluster)),
        }
    }

    /// Returns why a grid is not allowed, if it is not.
    pub(super) fn refusal(&self, grid: [u32; 3]) -> Option<Refusal> {
        [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate().find_map(|(index, axis)| {
            let (blocks, most) = (grid[index], self.max_axes[index]);
            match (blocks, blocks.cmp(&most)) {
                (0, _) => Some(Refusal::EmptyGrid { axis }),
                (_, Greater) => Some(Refusal::GridAxis { axis, blocks, most }),
                _ => {
                    let cluster = self.cluster.filter(|cluster| !is_multiple(blocks, cluster[index]))?[index];
                    Some(Refusal::PartialCluster { axis, grid: blocks, cluster })
                }
            }
        })
    }
}

fn is_multiple(grid: u32, cluster: u32) -> bool {
    grid.checked_rem(cluster) == Some(0)
}

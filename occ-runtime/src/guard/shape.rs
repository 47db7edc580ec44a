//! What is compared at every launch: its shape with the spec's, and its grid with what the device takes.

use super::device::DeviceReport;
use super::error::{LaunchError, Refused};
use super::mismatch::{Finding, Mismatch, Severity};
use crate::driver::Function;
use crate::spec::{LaunchSpec, OnMismatch};
use crate::words::Counted;
use core::cmp::Ordering::Greater;
use occ_core::{Axis, Refusal, Waves};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A launch as it is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Blocks of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes per block.
    pub dynamic_smem: u32,
    /// Blocks of a cluster along x, y and z, as they are passed to the driver. `None` where none are passed:
    /// the launch then has the cluster that the kernel was compiled for, if any.
    pub cluster: Option<[u32; 3]>,
}

impl Launched {
    /// A launch with everything from the spec but the grid.
    #[inline]
    pub const fn of(spec: &LaunchSpec, grid: [u32; 3]) -> Self {
        let launch = spec.shape();
        Launched { grid, block: launch.block, dynamic_smem: launch.dynamic_smem, cluster: launch.cluster }
    }

    /// What is not as in the spec.
    #[inline]
    pub(crate) fn difference(&self, spec: &LaunchSpec) -> Option<Mismatch> {
        let declared = spec.shape();
        if self.block != declared.block {
            return Some(Mismatch::Block { declared: declared.block, launched: self.block });
        }
        if self.dynamic_smem != declared.dynamic_smem {
            let (declared, launched) = (declared.dynamic_smem, self.dynamic_smem);
            return Some(Mismatch::DynamicSmem { declared, launched });
        }
        match self.cluster {
            Some(_) if self.cluster != declared.cluster => {
                Some(Mismatch::Cluster { declared: declared.cluster, launched: self.cluster })
            }
            _ => None,
        }
    }
}

/// What a grid must keep to.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridRule {
    max_axes: [u32; 3],
    /// The cluster that each axis must be a multiple of.
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
    pub(super) fn is_kept(&self, [x, y, z]: [u32; 3]) -> bool {
        let [most_x, most_y, most_z] = self.max_axes;
        // An empty axis is as far out of range as it can be.
        let fits = (x.wrapping_sub(1) < most_x) & (y.wrapping_sub(1) < most_y) & (z.wrapping_sub(1) < most_z);
        fits && match self.cluster {
            None => true,
            Some(cluster) => [x, y, z].into_iter().zip(cluster).all(|(grid, cluster)| is_multiple(grid, cluster)),
        }
    }

    /// Why it is not kept, if it is not.
    pub(super) fn broken(&self, grid: [u32; 3]) -> Option<Refusal> {
        let axes = [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate();
        axes.into_iter().find_map(|(at, axis)| {
            let blocks = grid[at];
            match (blocks, blocks.cmp(&self.max_axes[at])) {
                (0, _) => Some(Refusal::EmptyGrid { axis }),
                (_, Greater) => Some(Refusal::GridAxis { axis, blocks, most: self.max_axes[at] }),
                _ => {
                    let cluster = self.cluster.filter(|cluster| !is_multiple(blocks, cluster[at]))?[at];
                    Some(Refusal::PartialCluster { axis, grid: blocks, cluster })
                }
            }
        })
    }
}

fn is_multiple(grid: u32, cluster: u32) -> bool {
    grid.checked_rem(cluster) == Some(0)
}

/// A spec that was checked with a function which stays loaded: what is left to check at a launch is its grid.
#[derive(Debug)]
pub struct Admitted {
    pub(super) spec: LaunchSpec,
    pub(super) function: Function,
    pub(super) device: Arc<DeviceReport>,
    pub(super) enforce: OnMismatch,
    pub(super) grid: GridRule,
    pub(super) blocks_per_sm: u32,
    pub(super) waves: WaveLog,
    /// Where the last spec is that was found to declare the same: it is a constant, so it stays what it is.
    #[cfg_attr(not(feature = "cust"), allow(dead_code))]
    pub(super) same: AtomicUsize,
}

impl Admitted {
    /// Whether this grid may be launched. Asks the driver nothing, takes no lock, and allocates nothing.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] for an empty grid, an axis that is too long, or one that is no multiple of the cluster.
    #[inline]
    pub fn admit(&self, grid: [u32; 3]) -> Result<(), LaunchError> {
        if self.grid.is_kept(grid) && !self.spec.logs_waves() {
            return Ok(());
        }
        self.admit_slowly(grid)
    }

    #[cold]
    fn admit_slowly(&self, grid: [u32; 3]) -> Result<(), LaunchError> {
        if let Some(refusal) = self.grid.broken(grid) {
            return refuse(&self.spec, &self.device, self.enforce, Mismatch::CannotRun { refusal });
        }
        self.waves.log(&self.spec, &self.device, self.blocks_per_sm, grid);
        Ok(())
    }

    /// Whether it is the admission of this launch of a spec, which keeps all its rules. `false` where that takes a closer
    /// look.
    #[cfg(feature = "cust")]
    #[inline]
    pub(crate) fn admits(&self, spec: &'static LaunchSpec, launched: &Launched) -> bool {
        let shape = self.spec.shape();
        self.same.load(Ordering::Relaxed) == core::ptr::from_ref(spec).addr()
            && launched.block == shape.block
            && launched.dynamic_smem == shape.dynamic_smem
            && launched.cluster.is_none()
            && self.grid.is_kept(launched.grid)
            && !self.spec.logs_waves()
    }

    /// Whether it is the admission of this spec, under whatever name.
    #[cfg(feature = "cust")]
    #[inline]
    pub(crate) fn is_of(&self, spec: &'static LaunchSpec) -> bool {
        let place = core::ptr::from_ref(spec).addr();
        self.same.load(Ordering::Relaxed) == place || self.is_of_equal(spec, place)
    }

    #[cfg(feature = "cust")]
    #[cold]
    fn is_of_equal(&self, spec: &LaunchSpec, place: usize) -> bool {
        let is_same = self.spec.declares_same(spec);
        if is_same {
            self.same.store(place, Ordering::Relaxed);
        }
        is_same
    }

    /// The spec.
    pub const fn spec(&self) -> &LaunchSpec {
        &self.spec
    }

    /// The function.
    pub const fn function(&self) -> Function {
        self.function
    }

    /// Blocks per SM by the driver.
    pub const fn blocks_per_sm(&self) -> u32 {
        self.blocks_per_sm
    }

    /// How a grid would be spread over this device: its waves and their tail. `None` for an empty one.
    pub fn waves(&self, grid: [u32; 3]) -> Option<Waves> {
        waves(&self.device, self.blocks_per_sm, grid)
    }
}

/// Refuses a launch for one difference, or says so and lets it pass, as it is asked to.
#[cold]
pub(super) fn refuse(
    spec: &LaunchSpec,
    device: &DeviceReport,
    enforce: OnMismatch,
    mismatch: Mismatch,
) -> Result<(), LaunchError> {
    let findings = [Finding { severity: Severity::Error, mismatch }].into();
    let (name, capability) = (device.name.clone(), device.capability);
    let refused = Refused { kernel: spec.name(), device: name, capability, findings };
    match enforce {
        OnMismatch::Error => Err(LaunchError::Refused(Arc::new(refused))),
        OnMismatch::Warn => {
            log::warn!(target: super::LOG, "{refused}");
            Ok(())
        }
        OnMismatch::Ignore => Ok(()),
    }
}

fn waves(device: &DeviceReport, blocks_per_sm: u32, grid: [u32; 3]) -> Option<Waves> {
    let blocks = grid.into_iter().map(u64::from).fold(1, u64::saturating_mul);
    Waves::new(blocks, blocks_per_sm, device.sm_count)
}

/// Tells the waves of a spec's grids, each time that their number of blocks changes.
#[derive(Debug)]
pub(super) struct WaveLog {
    last: AtomicU64,
}

impl WaveLog {
    pub(super) const fn new() -> Self {
        WaveLog { last: AtomicU64::new(0) }
    }

    #[cold]
    pub(super) fn log(&self, spec: &LaunchSpec, device: &DeviceReport, blocks_per_sm: u32, grid: [u32; 3]) {
        let Some(waves) = waves(device, blocks_per_sm, grid) else {
            return;
        };
        if self.last.swap(waves.blocks(), Ordering::Relaxed) == waves.blocks() {
            return;
        }
        let about =
            format_args!("`{}` on {} (sm_{}{})", spec.name(), device.name, device.capability[0], device.capability[1]);
        let blocks = Counted(waves.blocks(), "block");
        let full = Counted(waves.full(), "full wave");
        let made = format_args!("{about}: {blocks} over {} slots make {full}", waves.slots());
        if waves.tail_blocks() == 0 {
            log::info!(target: super::LOG, "{made}");
        } else {
            let (tail, idle) = (Counted(waves.tail_blocks(), "block"), waves.tail_idle() * 100.0);
            log::info!(target: super::LOG, "{made} and a tail of {tail}, which leaves {idle:.1}% of it idle");
        }
    }
}

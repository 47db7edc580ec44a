//! Launches, refused where a driver refuses them.

use crate::codes::{INVALID_CLUSTER_SIZE, INVALID_HANDLE, INVALID_VALUE, OUT_OF_RESOURCES, SUCCESS};
use crate::exports::Handle;
use crate::kernels::{Arguments, Launch};
use crate::modules;
use crate::state::StandIn;
use std::ffi::{c_int, c_uint, c_void};

/// `CUlaunchConfig` of `cuda.h`.
#[repr(C)]
pub struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_smem: c_uint,
    stream: Handle,
    attributes: *const [c_uint; 18],
    attribute_count: c_uint,
}

impl LaunchConfig {
    /// Returns the cluster among its attributes (`CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`, 4).
    ///
    /// # Safety
    ///
    /// It has as many attributes as it says.
    pub(crate) unsafe fn cluster(&self) -> Option<[u32; 3]> {
        if self.attribute_count == 0 {
            return None;
        }
        // SAFETY: there are so many attributes of 72 bytes: an identifier, 4 bytes unused, and a value.
        let attributes = unsafe { std::slice::from_raw_parts(self.attributes, self.attribute_count as usize) };
        let cluster = attributes.iter().find(|attribute| attribute[0] == 4)?;
        Some([cluster[2], cluster[3], cluster[4]])
    }

    /// Returns the launch that it describes.
    ///
    /// # Safety
    ///
    /// It has as many attributes as it says.
    pub(crate) unsafe fn launch(&self) -> Launch {
        // SAFETY: the caller's.
        Launch { cluster: unsafe { self.cluster() }, ..Launch::asked(self.grid, self.block, self.dynamic_smem) }
    }
}

/// Makes a launch.
///
/// # Safety
///
/// The arguments are those of the function.
pub(crate) unsafe fn launch(
    stand_in: &StandIn,
    function: Handle,
    mut launch: Launch,
    arguments: *mut *mut c_void,
) -> c_int {
    let mut state = stand_in.lock();
    let place = modules::place_of(function);
    let Ok(function) = state.function(place).cloned() else {
        return INVALID_HANDLE;
    };
    let device = &state.devices[function.device];
    let limit = |attribute| device.attribute(attribute).unsigned_abs();
    let fits = |axes: [u32; 3], first| (0..3).all(|at| (1..=limit(first + at as c_int)).contains(&axes[at]));
    let threads = launch.block.into_iter().fold(1u32, u32::saturating_mul);
    if !fits(launch.grid, 5) || !fits(launch.block, 2) || threads > limit(1) {
        return INVALID_VALUE;
    }
    if i64::from(launch.dynamic_smem) > i64::from(function.max_dynamic_smem) {
        return INVALID_VALUE;
    }
    let cluster = launch.cluster.or(function.model.required_cluster);
    if let Some(cluster) = cluster {
        let blocks = cluster.into_iter().fold(1, u32::saturating_mul);
        let divides = (0..3).all(|at| cluster[at] != 0 && launch.grid[at].is_multiple_of(cluster[at]));
        if limit(120) == 0 || !divides || !function.may_have_clusters_of(blocks) {
            return INVALID_CLUSTER_SIZE;
        }
        if device.active_clusters.get(&blocks) == Some(&0) {
            return OUT_OF_RESOURCES;
        }
    }
    if threads > function.model.max_threads {
        return INVALID_VALUE;
    }
    // A lie about the occupancy is no lie about what runs.
    match state.true_blocks_per_sm(place, threads.cast_signed(), launch.dynamic_smem as usize) {
        Ok(1..) => {}
        Ok(_) => return OUT_OF_RESOURCES,
        Err(code) => return code,
    }
    launch.kernel = function.name;
    launch.max_dynamic_smem = function.max_dynamic_smem;
    state.launches.push(launch.clone());
    drop(state);
    if let Some(emulation) = function.model.emulation {
        emulation.run(&launch, &Arguments::of(arguments));
    }
    SUCCESS
}

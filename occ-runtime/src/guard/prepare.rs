//! Attributes that a function needs for a launch. They are raised and never lowered.

use super::function::FunctionReport;
use crate::driver::{Driver, DriverError, Function, FunctionAttribute as Attribute};
use occ_core::Launch;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The attributes that the guard changed so that the launch runs as it was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Prepared {
    /// Most dynamic shared memory in bytes, if it was raised: the opt-in.
    pub raised_dynamic_smem: Option<u32>,
    /// Whether clusters above the portable size were allowed.
    pub allowed_non_portable_clusters: bool,
    /// Preferred carve-out in percent, if there was none before.
    pub set_carveout: Option<u32>,
}

/// Locks the attributes while they are read and raised: two threads could otherwise lower each other's values. Returns
/// `None` for a launch that needs no attribute.
pub(super) fn lock_attributes(launch: &Launch) -> Option<MutexGuard<'static, ()>> {
    static ATTRIBUTES: Mutex<()> = Mutex::new(());
    is_needed(launch).then(|| ATTRIBUTES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Returns whether a launch may need an attribute raised.
pub(super) fn is_needed(launch: &Launch) -> bool {
    launch.dynamic_smem > 0 || launch.cluster.is_some() || launch.carveout.percent().is_some()
}

/// Raises what `launch` needs. `found` was read under [`lock_attributes`]. An attribute that the driver does not raise so
/// far stays as it is, and the launch is refused for it later.
pub(super) fn prepare(
    driver: &dyn Driver,
    function: Function,
    found: &FunctionReport,
    launch: &Launch,
    max_cluster_portable: Option<u32>,
) -> Result<Prepared, DriverError> {
    let mut prepared = Prepared::default();
    let set = |attribute, wanted| set(driver, function, attribute, wanted);
    if let Some(most) = found.max_dynamic_smem
        && most < launch.dynamic_smem
        && set(Attribute::MaxDynamicSharedSizeBytes, launch.dynamic_smem)?
    {
        prepared.raised_dynamic_smem = Some(launch.dynamic_smem);
    }
    let blocks = launch.cluster.map_or(1, |[x, y, z]| x.saturating_mul(y).saturating_mul(z));
    if found.non_portable_clusters == Some(false) && max_cluster_portable.is_some_and(|most| blocks > most) {
        prepared.allowed_non_portable_clusters = set(Attribute::NonPortableClusterSizeAllowed, 1)?;
    }
    if let (Some(percent), None) = (launch.carveout.percent(), found.carveout)
        && set(Attribute::PreferredSharedMemoryCarveout, percent)?
    {
        prepared.set_carveout = Some(percent);
    }
    Ok(prepared)
}

/// Sets an attribute, and returns `false` if the value is too large for the driver.
fn set(driver: &dyn Driver, function: Function, attribute: Attribute, wanted: u32) -> Result<bool, DriverError> {
    let Ok(wanted) = i32::try_from(wanted) else {
        return Ok(false);
    };
    match driver.set_function_attribute(function, attribute, wanted) {
        Ok(()) => Ok(true),
        Err(error) if error.code == DriverError::INVALID_VALUE => Ok(false),
        Err(error) => Err(error),
    }
}

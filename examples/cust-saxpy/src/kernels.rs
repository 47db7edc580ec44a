//! The kernel's cubins, one for each capability.

use cust::device::{Device, DeviceAttribute};
use cust::error::{CudaError, CudaResult};
use cust::module::Module;
use occ_runtime::{Arch, Target};

macro_rules! cubin {
    ($arch:literal) => {
        ($arch, include_bytes!(concat!(env!("OUT_DIR"), "/saxpy.", $arch, ".cubin")))
    };
}

const CUBINS: [(&str, &[u8]); 7] = [
    cubin!("sm_120"),
    cubin!("sm_100"),
    cubin!("sm_90"),
    cubin!("sm_89"),
    cubin!("sm_86"),
    cubin!("sm_80"),
    cubin!("sm_75"),
];

/// Loads the newest cubin that runs on the device.
pub fn load(device: Device) -> CudaResult<Module> {
    let attribute = |attribute| Ok::<_, CudaError>(device.get_attribute(attribute)?.unsigned_abs());
    let major = attribute(DeviceAttribute::ComputeCapabilityMajor)?;
    let minor = attribute(DeviceAttribute::ComputeCapabilityMinor)?;
    let arch = Arch::new(major, minor).ok_or(CudaError::NoBinaryForGpu)?;
    let runs = |name: &str| Target::parse(name).is_ok_and(|target| target.runs_on(arch));
    let (_, cubin) = CUBINS.iter().find(|(name, _)| runs(name)).ok_or(CudaError::NoBinaryForGpu)?;
    Module::from_cubin(cubin, &[])
}

//! The kernel's cubins, one for each capability.

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use occ_runtime::{Arch, Target};
use std::error::Error;
use std::sync::Arc;

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

/// Loads the newest cubin that runs on the context's device.
pub(crate) fn load(context: &Arc<CudaContext>) -> Result<Arc<CudaModule>, Box<dyn Error>> {
    let (major, minor) = context.compute_capability()?;
    let arch = Arch::new(major.unsigned_abs(), minor.unsigned_abs());
    let runs = |name: &str| match (arch, Target::parse(name)) {
        (Some(arch), Ok(target)) => target.runs_on(arch),
        _ => false,
    };
    let (_, cubin) = CUBINS.iter().find(|(name, _)| runs(name)).ok_or("no cubin runs on this device")?;
    Ok(context.load_module(Ptx::from_binary(cubin.to_vec()))?)
}

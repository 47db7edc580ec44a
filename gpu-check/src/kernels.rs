//! The probes of `kernels/probes.cu`, and their resources as `occ-artifacts` reads them.

use crate::Result;
use crate::machine::Machine;
use occ_artifacts::Stack;
use occ_core::{Arch, Kernel, Target};
use occ_runtime::driver::Function;

macro_rules! cubins {
    ($($arch:literal)*) => {
        &[$(($arch, include_bytes!(concat!(env!("OUT_DIR"), "/probes.", $arch, ".cubin")))),*]
    };
}

/// The cubins, the newest first.
const CUBINS: &[(&str, &[u8])] = cubins!("sm_120" "sm_110" "sm_100" "sm_90" "sm_89" "sm_86" "sm_80" "sm_75");
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/probes.ptx"));

const NAMES: [&str; 23] = [
    "registers_a",
    "registers_b",
    "registers_c",
    "registers_d",
    "registers_e",
    "registers_f",
    "registers_g",
    "registers_h",
    "registers_i",
    "registers_j",
    "barriers_1",
    "barriers_2",
    "barriers_4",
    "barriers_8",
    "barriers_16",
    "shared_1k",
    "shared_16k",
    "shared_48k",
    "bounded",
    "dynamic",
    "clustered",
    "local",
    "recursive",
];

/// The probes as they are loaded.
pub(crate) struct Module {
    /// `sm_90`, or `ptx` where no cubin runs.
    pub(crate) image: &'static str,
    pub(crate) probes: Vec<Probe>,
}

pub(crate) struct Probe {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    /// Resources and stack as `occ-artifacts` reads them from the cubin.
    pub(crate) read: Option<(Kernel, Option<u32>)>,
}

impl Module {
    pub(crate) fn probe(&self, name: &str) -> Option<&Probe> {
        self.probes.iter().find(|probe| probe.name == name)
    }
}

/// Loads the cubin that runs on the device, or else the PTX.
pub(crate) fn load(machine: &Machine) -> Result<Module> {
    let number = |attribute| machine.device_attribute(attribute).unwrap_or(0).unsigned_abs();
    let arch = Arch::new(number(75), number(76));
    let runs = |name: &str| arch.is_some_and(|arch| Target::parse(name).is_ok_and(|target| target.runs_on(arch)));
    let cubin = CUBINS.iter().find(|(name, _)| runs(name));
    let (image, module) = match cubin {
        Some((name, cubin)) => (*name, machine.load(cubin)?),
        None => ("ptx", machine.load(format!("{PTX}\0").as_bytes())?),
    };
    let images = match cubin {
        Some((_, cubin)) => occ_artifacts::read(cubin)?,
        None => Vec::new(),
    };
    let mut probes: Vec<Probe> = Vec::new();
    for name in NAMES {
        // Clusters are a matter of 9.0 and later.
        if let Some(function) = machine.function(module, name)
            && probes.iter().all(|probe| probe.name != name)
        {
            let image = images.iter().find(|image| &*image.name == name);
            let read = image.map(|image| (image.kernel(), image.stack.and_then(stack)));
            probes.push(Probe { name, function, read });
        }
    }
    Ok(Module { image, probes })
}

/// Returns a stack in bytes, or `None` for a recursive kernel.
fn stack(stack: Stack) -> Option<u32> {
    match stack {
        Stack::Bytes(bytes) => Some(bytes),
        Stack::Unbounded => None,
    }
}

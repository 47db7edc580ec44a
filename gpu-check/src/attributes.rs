//! Every attribute that the driver answers, of the device and of each kernel.

use crate::Result;
use crate::kernels::Module;
use crate::machine::Machine;
use crate::report::{KernelRecord, Report};
use occ_runtime::driver::{Device, Driver};

/// Numbers to beyond the last one in `cuda.h` 13.5.
const DEVICE_ATTRIBUTES: std::ops::Range<i32> = 1..160;
const FUNCTION_ATTRIBUTES: std::ops::Range<i32> = 0..24;

pub(crate) fn read(machine: &Machine, module: &Module) -> Result<Report> {
    let device = |number| Some((number, machine.device_attribute(number)?));
    let kernels = module.probes.iter().map(|probe| {
        let attribute = |number| Some((number, machine.function_attribute(probe.function, number)?));
        KernelRecord {
            name: probe.name.to_owned(),
            attributes: FUNCTION_ATTRIBUTES.filter_map(attribute).collect(),
            registers: probe.read.and_then(|(kernel, _)| kernel.registers),
            static_smem: probe.read.map(|(kernel, _)| kernel.static_smem),
            barriers: probe.read.map(|(kernel, _)| kernel.barriers),
            stack: probe.read.and_then(|(_, stack)| stack),
        }
    });
    Ok(Report {
        name: machine.cuda.device_name(Device(machine.device))?,
        driver_version: machine.driver_version(),
        device: DEVICE_ATTRIBUTES.filter_map(device).collect(),
        image: module.image.to_owned(),
        kernels: kernels.collect(),
        ..Report::new()
    })
}

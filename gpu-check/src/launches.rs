//! Launches that should run and launches that should not, each with the code that the model predicts.

use crate::kernels::Module;
use crate::machine::Machine;
use crate::report::{LaunchRecord, Report};
use occ_core::{Launch, occupancy};
use occ_runtime::driver::FunctionAttribute;

/// Codes after which the context is lost.
const STICKY: [i32; 8] = [214, 700, 702, 714, 715, 716, 718, 719];

/// A launch: its purpose, kernel, grid, block and dynamic shared memory.
type Case = (&'static str, &'static str, [u32; 3], [u32; 3], u32);

fn cases(optin: u32) -> Vec<Case> {
    let one = [1, 1, 1];
    vec![
        ("one thread", "registers_a", one, one, 0),
        ("the largest block", "registers_a", one, [1024, 1, 1], 0),
        ("one thread more", "registers_a", one, [1025, 1, 1], 0),
        ("three axes", "registers_a", [2, 3, 4], [8, 4, 2], 0),
        ("z of 64", "registers_a", one, [1, 1, 64], 0),
        ("z of 65", "registers_a", one, [1, 1, 65], 0),
        ("an empty grid", "registers_a", [0, 1, 1], one, 0),
        ("an empty block", "registers_a", one, [1, 0, 1], 0),
        ("y of 65535 blocks", "registers_a", [1, 65_535, 1], one, 0),
        ("y of 65536 blocks", "registers_a", [1, 65_536, 1], one, 0),
        ("z of 65536 blocks", "registers_a", [1, 1, 65_536], one, 0),
        ("many registers in 256 threads", "registers_j", one, [256, 1, 1], 0),
        ("many registers in 288 threads", "registers_j", one, [288, 1, 1], 0),
        ("many registers in 1024 threads", "registers_j", one, [1024, 1, 1], 0),
        ("168 registers in 512 threads", "registers_i", one, [512, 1, 1], 0),
        ("the kernel's own bound", "bounded", one, [128, 1, 1], 0),
        ("more than the kernel's own bound", "bounded", one, [129, 1, 1], 0),
        ("all shared memory there is", "dynamic", one, [128, 1, 1], optin),
        ("a byte more", "dynamic", one, [128, 1, 1], optin + 1),
        ("16 barriers", "barriers_16", [64, 1, 1], [64, 1, 1], 0),
        ("static shared memory", "shared_48k", one, [128, 1, 1], 0),
        ("as clusters", "clustered", [2, 1, 1], [128, 1, 1], 0),
        ("half a cluster", "clustered", [3, 1, 1], [128, 1, 1], 0),
        ("local memory", "local", one, [128, 1, 1], 0),
        ("recursion", "recursive", one, [128, 1, 1], 0),
    ]
}

pub(crate) fn run(machine: &Machine, module: &Module, report: &mut Report) {
    let optin = report.device.get(&97).map_or(49_152, |optin| optin.unsigned_abs());
    let Some(sm) = report.limits() else {
        report.stopped.push("launches: the capability is not known".to_owned());
        return;
    };
    for (what, name, grid, block, dynamic_smem) in cases(optin) {
        let Some(probe) = module.probe(name) else {
            continue;
        };
        let at = report.kernels.iter().position(|kernel| kernel.name == name).unwrap_or(usize::MAX);
        let Some(mut kernel) = report.kernel(at) else {
            continue;
        };
        if let Some((read, _)) = probe.read {
            kernel.bounds = read.bounds;
        }
        if name == "dynamic" {
            let attribute = FunctionAttribute::MaxDynamicSharedSizeBytes.number();
            let _ = machine.set_function_attribute(probe.function, attribute, optin.cast_signed());
        }
        let launch = Launch::block(block).dynamic_smem(dynamic_smem).grid(grid);
        let expected = match occupancy(&sm, &kernel, &launch) {
            Ok(_) => Some(0),
            Err(refusal) => refusal.cuda_error().map(|error| error.code.cast_signed()),
        };
        let (code, counted) = match machine.launch(probe.function, grid, block, dynamic_smem) {
            Ok(counted) => (0, counted),
            Err(code) => (code, false),
        };
        report.launches.push(LaunchRecord { what: what.to_owned(), kernel: name.to_owned(), expected, code, counted });
        if STICKY.contains(&code) {
            report.stopped.push(format!("launches after `{what}`: {code} ends the context"));
            return;
        }
    }
}

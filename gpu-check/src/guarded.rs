//! The guard's verdicts, and the time of a guarded launch against a bare one.

use crate::kernels::Module;
use crate::machine::Machine;
use crate::report::{Report, Verdict};
use occ_core::{Arch, Check, Launch, Requirement};
use occ_runtime::LaunchSpec;
use occ_runtime::driver::{Cuda, Driver};
use occ_runtime::guard::{Guard, Launched};
use std::time::Instant;

const LAUNCHES: u32 = 20_000;

pub(crate) fn run(machine: &Machine, module: &Module, report: &mut Report) {
    let Ok(cuda) = Cuda::loaded() else {
        return;
    };
    let guard = Guard::new(cuda);
    let number = |attribute| report.device.get(&attribute).map_or(0, |value| value.unsigned_abs());
    let Some(arch) = Arch::new(number(75), number(76)) else {
        report.stopped.push("the guard's verdicts: the capability is not known".to_owned());
        return;
    };
    let archs: &'static [Arch] = vec![arch].leak();
    for probe in &module.probes {
        for threads in [64, 96, 256, 512, 1024] {
            for required in [0.125, 0.25, 0.5, 0.75, 1.0] {
                let (launch, requirement) = (Launch::new(threads), Requirement::new().min_occupancy(required));
                // A spec that says nothing of the kernel, so that the driver alone decides.
                if !(Check { archs, launch, requirement, ..Check::new() }).passes() {
                    continue;
                }
                let spec = LaunchSpec::new(probe.name, archs, occ_core::Kernel::new(), launch).require(requirement);
                let blocks = machine.cuda.max_active_blocks_per_sm(probe.function, threads, 0);
                // Clusters that a spec does not know of are refused whatever the occupancy.
                if probe.name == "clustered" {
                    continue;
                }
                let verdict = guard.admit(&spec, probe.function, &Launched::of(&spec, [1, 1, 1]));
                report.verdicts.push(Verdict {
                    kernel: probe.name.to_owned(),
                    threads,
                    dynamic_smem: 0,
                    required,
                    blocks_per_sm: blocks.unwrap_or(0),
                    passed: verdict.is_ok(),
                    said: verdict.err().map(|error| error.to_string()).unwrap_or_default(),
                });
            }
        }
    }
    time(machine, module, report, &guard, archs);
}

fn time(machine: &Machine, module: &Module, report: &mut Report, guard: &Guard<Cuda>, archs: &'static [Arch]) {
    let Some(probe) = module.probe("registers_a") else {
        return;
    };
    let spec = LaunchSpec::new(probe.name, archs, occ_core::Kernel::new(), Launch::new(128));
    let (mut memory, mut n) = (0u64, 0u32);
    let mut arguments = [(&raw mut memory).cast(), (&raw mut n).cast()];
    let mut bare = || machine.launch_only(probe.function, [1; 3], [128, 1, 1], 0, &mut arguments).is_ok();
    let launched = Launched::of(&spec, [1, 1, 1]);
    let Ok(bound) = guard.bind(&spec, probe.function, false) else {
        return;
    };
    let mut each = |what: &str, before: &dyn Fn() -> bool| {
        let start = Instant::now();
        let all = (0..LAUNCHES).all(|_| before() && bare());
        if all {
            let nanoseconds = start.elapsed().as_nanos() as f64 / f64::from(LAUNCHES);
            report.timing.insert(what.to_owned(), nanoseconds);
        }
    };
    // Twice: the first of each also warms up.
    for _ in 0..2 {
        each("bare", &|| true);
        each("bound", &|| bound.admit([1, 1, 1]).is_ok());
        each("by handle", &|| guard.admit(&spec, probe.function, &launched).is_ok());
    }
}

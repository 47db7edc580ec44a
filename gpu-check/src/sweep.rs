//! Blocks per SM and clusters, over block sizes, shared memory and carve-outs.

use crate::kernels::{Module, Probe};
use crate::machine::Machine;
use crate::report::{Available, ClusterPoint, Point, Report};
use occ_runtime::driver::{ClusterLaunch, Driver, FunctionAttribute};

/// Block sizes around each multiple of a warp that changes something, and at both ends.
const THREADS: [u32; 30] = [
    1, 31, 32, 33, 64, 65, 96, 128, 160, 192, 224, 255, 256, 257, 288, 320, 384, 416, 448, 512, 513, 576, 640, 704,
    768, 832, 896, 960, 1023, 1024,
];
const CARVEOUTS: [i32; 4] = [-1, 0, 50, 100];
const MAX_DYNAMIC_SMEM: i32 = FunctionAttribute::MaxDynamicSharedSizeBytes.number();
const CARVEOUT: i32 = FunctionAttribute::PreferredSharedMemoryCarveout.number();

/// Returns the dynamic shared memory to ask about: steps, and the limits of a block.
fn sizes(static_smem: u32, optin: u32) -> Vec<u32> {
    let most = optin.saturating_sub(static_smem);
    let default = 49_152u32.saturating_sub(static_smem);
    let parts = [2, 3, 4, 5].map(|parts| optin / parts);
    let mut sizes = vec![0, 1, 127, 1024, 8192, 12_800, 20_992, default, default + 1, most, most + 1];
    sizes.extend(parts);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Returns the number of points for a device, which a test compares with the promised one.
#[cfg(test)]
pub(crate) fn count(kernels: usize, optin: u32) -> usize {
    kernels * THREADS.len() * sizes(0, optin).len() * CARVEOUTS.len()
}

pub(crate) fn run(machine: &Machine, module: &Module, report: &mut Report, quick: bool) {
    let optin = report.device.get(&97).map_or(49_152, |optin| optin.unsigned_abs());
    let carveouts = if quick { &CARVEOUTS[..1] } else { &CARVEOUTS[..] };
    for (at, probe) in module.probes.iter().enumerate() {
        let attribute = |number| report.kernels[at].attributes.get(&number).copied();
        let static_smem = report.kernels[at].static_smem.or(attribute(1).map(i32::unsigned_abs)).unwrap_or(0);
        // Without the opt-in first: it cannot be taken back below what a launch needs, but it can be raised.
        let above = 49_152u32.saturating_sub(static_smem) + 1;
        if static_smem < 49_152 && above + static_smem <= optin {
            let blocks = blocks_per_sm(machine, probe, 128, above);
            report.points.push(Point(at, 128, above, -1, false, blocks));
        }
        let most = i32::try_from(optin.saturating_sub(static_smem)).unwrap_or(0);
        if machine.set_function_attribute(probe.function, MAX_DYNAMIC_SMEM, most).is_none() {
            report.stopped.push(format!("{}: the opt-in of {most} bytes is refused", probe.name));
        }
        for carveout in carveouts {
            if machine.set_function_attribute(probe.function, CARVEOUT, *carveout).is_none() {
                report.stopped.push(format!("{}: the carve-out of {carveout}% is refused", probe.name));
                continue;
            }
            for threads in THREADS {
                for dynamic_smem in sizes(static_smem, optin) {
                    let blocks = blocks_per_sm(machine, probe, threads, dynamic_smem);
                    report.points.push(Point(at, threads, dynamic_smem, *carveout, true, blocks));
                }
            }
        }
        let _ = machine.set_function_attribute(probe.function, CARVEOUT, -1);
        for blocks in [1, 2, 4, 8] {
            let bytes = machine.available_dynamic_smem(probe.function, blocks, 128);
            report.available.extend(bytes.map(|bytes| Available(at, blocks.unsigned_abs(), 128, bytes)));
        }
        if report.device.get(&120) == Some(&1) {
            clusters(machine, probe, at, report);
        }
    }
}

/// Returns the driver's answer, or its code as a negative number.
fn blocks_per_sm(machine: &Machine, probe: &Probe, threads: u32, dynamic_smem: u32) -> i32 {
    match machine.cuda.max_active_blocks_per_sm(probe.function, threads, dynamic_smem) {
        Ok(blocks) => i32::try_from(blocks).unwrap_or(i32::MAX),
        Err(error) => -error.code.saturating_abs(),
    }
}

fn clusters(machine: &Machine, probe: &Probe, at: usize, report: &mut Report) {
    let non_portable = FunctionAttribute::NonPortableClusterSizeAllowed.number();
    for blocks in 1..=17 {
        // 16 blocks take the function's consent.
        let _ = machine.set_function_attribute(probe.function, non_portable, i32::from(blocks > 8));
        for threads in [32, 128, 256, 1024] {
            let cluster = [blocks, 1, 1];
            let launch = ClusterLaunch { grid: cluster, block: [threads, 1, 1], cluster, dynamic_smem: 0 };
            let answer = match machine.cuda.max_active_clusters(probe.function, &launch) {
                Ok(clusters) => i32::try_from(clusters).unwrap_or(i32::MAX),
                Err(error) => -error.code.saturating_abs(),
            };
            report.clusters.push(ClusterPoint(at, threads, blocks, answer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_20_000_points() {
        // Shared memory of a block with the opt-in on 7.5, 8.0, 8.6, 9.0 and 12.0; the last two also have `clustered`.
        for (kernels, optin) in [(22, 65_536), (22, 166_912), (22, 101_376), (23, 232_448), (23, 101_376)] {
            assert!(count(kernels, optin) >= 20_000, "{kernels}, {optin}: {}", count(kernels, optin));
        }
    }

    #[test]
    fn edges_are_asked_about() {
        let sizes = sizes(1024, 101_376);
        for size in [0, 48_128, 48_129, 100_352, 100_353] {
            assert!(sizes.contains(&size), "{size}");
        }
    }
}

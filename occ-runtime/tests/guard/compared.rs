//! What a first check finds: the cases, exactly; and every limit of the table.

use crate::cases::all;
use crate::logged::logged;
use crate::recorded::FunctionDouble;
use crate::*;
use log::Level;
use occ_runtime::Report;
use occ_runtime::driver::DeviceAttribute;
use occ_runtime::guard::{LimitDifference, Mismatch, Severity};

pub(crate) fn found(report: &Report) -> Vec<(Severity, Mismatch)> {
    report.findings.iter().map(|finding| (finding.severity, finding.mismatch.clone())).collect()
}

#[test]
fn every_case() {
    for case in all() {
        let (guard, k) = guard_of(case.device.clone(), case.function.clone());
        let (result, lines) = logged(|| guard.admit(&case.spec, k, &case.launch()));
        let start = format!(
            "`k` on {} (sm_{}{}): ",
            case.device.name, case.device.attributes[&75], case.device.attributes[&76]
        );
        let expected = format!("{start}{}", case.text);
        let all = case.expected.clone();
        match &result {
            Ok(()) => {
                let level = if case.expected.is_empty() { Level::Debug } else { Level::Warn };
                assert_eq!(lines, [(level, expected)], "{}", case.name);
                let report = guard.report(&case.spec, k).unwrap();
                let is_ready = case.spec.shape().cluster.is_none() || case.launch().cluster.is_some();
                assert!(!is_ready || found(&report) == all, "{}: {:?}", case.name, report.findings);
            }
            Err(LaunchError::Refused(refused)) => {
                assert_eq!(result.as_ref().unwrap_err().to_string(), expected, "{}", case.name);
                let findings: Vec<_> =
                    refused.findings.iter().map(|finding| (finding.severity, finding.mismatch.clone())).collect();
                assert_eq!(findings, all, "{}", case.name);
                assert_eq!(result.as_ref().unwrap_err().mismatch(), Some(&all[0].1), "{}", case.name);
                // A launch that is refused by its shape was found as checked before.
                assert!(lines.iter().all(|(level, _)| *level == Level::Debug), "{}: {lines:?}", case.name);
            }
            Err(error) => panic!("{}: {error}", case.name),
        }
        assert_eq!(result.is_err(), case.is_refused(), "{}", case.name);
    }
}

/// Each limit that the driver tells is compared with the table, and the driver's is used.
#[test]
fn every_limit_of_the_table() {
    use DeviceAttribute as A;
    // What `tests/data/devices.csv` has for 8.0.
    let limits = [
        (A::MaxThreadsPerBlock, 1024),
        (A::MaxBlockDimX, 1024),
        (A::MaxBlockDimY, 1024),
        (A::MaxBlockDimZ, 64),
        (A::MaxGridDimX, 0x7fff_ffff),
        (A::MaxGridDimY, 65_535),
        (A::MaxGridDimZ, 65_535),
        (A::MaxSharedMemoryPerBlock, 49_152),
        (A::WarpSize, 32),
        (A::MaxRegistersPerBlock, 65_536),
        (A::MaxThreadsPerMultiprocessor, 2048),
        (A::MaxSharedMemoryPerMultiprocessor, 167_936),
        (A::MaxRegistersPerMultiprocessor, 65_536),
        (A::MaxSharedMemoryPerBlockOptin, 166_912),
        (A::MaxBlocksPerMultiprocessor, 32),
        (A::ReservedSharedMemoryPerBlock, 1024),
    ];
    for (attribute, table) in limits {
        let other: u32 = if attribute == A::WarpSize { 16 } else { table - 1 };
        let (guard, k) =
            guard_of(device(A100).with(attribute.number(), other.cast_signed()), FunctionDouble::new(40).always(6));
        let report = guard.report(&HALF, k).unwrap();
        let difference = Mismatch::Limit(LimitDifference { attribute, table, driver: other });
        assert!(found(&report).contains(&(Severity::Warning, difference)), "{attribute:?}: {:?}", report.findings);
        assert_eq!(report.device.differences.len(), 1, "{attribute:?}");
        assert!(admit(&guard, &HALF, k).is_ok(), "{attribute:?}");
    }
    let compared: Vec<A> = limits.iter().map(|(attribute, _)| *attribute).collect();
    let rest: Vec<&A> = A::ALL.iter().filter(|attribute| !compared.contains(attribute)).collect();
    let others = [A::MultiprocessorCount, A::ComputeCapabilityMajor, A::ComputeCapabilityMinor, A::ClusterLaunch];
    assert_eq!(rest, others.each_ref(), "attributes that are no limits of the table");
}

/// What the driver says of the device is what the model computes with: fewer blocks in the driver's answer and in its
/// attribute are no difference between the two.
#[test]
fn the_model_has_the_drivers_limits() {
    // 64 threads, 32 registers: the header holds 32 blocks of 8.0. This driver says 16, and holds 16.
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(32), Launch::new(64));
    let (guard, k) = guard_of(device(A100).with(106, 16), FunctionDouble::new(32).always(16));
    let report = guard.report(&spec, k).unwrap();
    let differs = LimitDifference { attribute: DeviceAttribute::MaxBlocksPerMultiprocessor, table: 32, driver: 16 };
    assert_eq!(found(&report), [(Severity::Warning, Mismatch::Limit(differs))]);
    assert_eq!(report.model.unwrap().unwrap().blocks_per_sm, 16);
}

/// The ladder of a Tesla T4 (driver 595.84, CUDA 12.6): 256 threads, dynamic shared memory that is never read. Measured.
#[test]
fn the_ladder_of_a_t4() {
    let ladder = [(0, 4, 1.0), (21_760, 3, 0.75), (32_768, 2, 0.5), (49_152, 1, 0.25)];
    for (bytes, blocks, occupancy) in ladder {
        let spec = LaunchSpec::new("k", SM_75, Kernel::new().registers(32), Launch::new(256).dynamic_smem(bytes));
        let (guard, k) = guard_of(device(T4), FunctionDouble::new(32).listed(&[[256, bytes, blocks]]));
        let report = guard.report(&spec, k).unwrap();
        assert_eq!((report.blocks_per_sm, report.occupancy()), (blocks, occupancy), "{bytes}");
        assert_eq!(found(&report), [], "{bytes}");
        for required in [0.2, 0.25, 0.3, 0.5, 0.7, 0.75, 0.8, 1.0] {
            let check = occ_runtime::__private::spec(
                "k",
                SM_75,
                &[],
                Kernel::new(),
                false,
                *spec.shape(),
                Requirement::new().min_occupancy(required),
                occ_runtime::OnMismatch::Error,
            );
            assert_eq!(admit(&guard, &check, k).is_ok(), occupancy >= required, "{bytes}, {required}");
        }
    }
}

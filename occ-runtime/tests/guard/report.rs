//! What a report holds beside its findings, and how it is written.

use crate::compared::found;
use crate::recorded::{CLUSTERS, FunctionDouble};
use crate::*;
use occ_runtime::guard::Severity::Error;
use occ_runtime::{Carveout, Compiled, LaunchBounds, Mismatch, Refusal, Report};

fn report(device: DeviceDouble, spec: &LaunchSpec, function: FunctionDouble) -> Report {
    let (guard, k) = guard_of(device, function);
    guard.report(spec, k).unwrap()
}

fn clustered(cluster: Option<[u32; 3]>) -> LaunchSpec {
    let mut launch = Launch::new(256);
    launch.cluster = cluster;
    LaunchSpec::new("k", SM_90, Kernel::new().registers(40), launch)
}

#[test]
fn the_device() {
    let report = |device| report(device, &HALF, FunctionDouble::new(40).always(6));
    let known = report(device(A100));
    assert_eq!(
        (known.device.sm_count, known.device.arch, known.device.clusters),
        (108, Some(Arch::SM_80), Some(false))
    );
    assert_eq!((known.blocks_per_sm, known.occupancy()), (6, 0.75));
    // A capability of a later year, and a driver that does not know the newer attributes.
    let unknown = report(device(A100).with(75, 15));
    assert!(unknown.model.is_none() && unknown.device.limits.is_none());
    assert_eq!(report(device(A100).without(&[97, 106, 111, 120])).device.clusters, None);
}

#[test]
fn what_was_prepared() {
    let with = |launch| LaunchSpec::new("k", SM_90, Kernel::new().registers(40), launch);
    let function = || FunctionDouble::new(40).always(4);
    let prepared = |spec, function| report(device(H100), &spec, function).prepared;
    let raised = prepared(with(Launch::new(256).dynamic_smem(100 << 10)), function());
    assert_eq!(raised.raised_dynamic_smem, Some(100 << 10));
    let carved = prepared(with(Launch::new(256).carveout(Carveout::PreferShared)), function());
    assert_eq!(carved.set_carveout, Some(100));
    assert!(prepared(clustered(Some([16, 1, 1])), function()).allowed_non_portable_clusters);
    assert!(!prepared(clustered(Some([8, 1, 1])), function()).allowed_non_portable_clusters);
}

/// From 9.0 on, the driver may count what it reserves in each block.
#[test]
fn static_shared_memory_with_what_is_reserved() {
    let spec = LaunchSpec::new("k", SM_90, Kernel::new().registers(32), Launch::new(256));
    for (told, expected) in [(1024, true), (0, false)] {
        let report = report(device(H100), &spec, FunctionDouble::new(32).with(1, told).always(8));
        assert_eq!((found(&report), report.static_smem_has_reserved), (vec![], expected));
    }
}

#[test]
fn clusters() {
    let function = || FunctionDouble::new(40);
    let passes = report(device(H100), &clustered(Some([2, 1, 1])), function().clusters(Ok(264)));
    assert_eq!((found(&passes), passes.active_clusters), (vec![], Some(264)));
    let none = report(device(H100), &clustered(None), function());
    assert_eq!((found(&none), none.active_clusters), (vec![], None));
    let older = report(device(H100), &clustered(Some([2, 1, 1])), function().clusters(Err(500)));
    assert_eq!((found(&older), older.active_clusters), (vec![], None));
    let another = report(device(H100), &clustered(Some([2, 1, 1])), function().cluster([4, 1, 1]));
    assert!(
        matches!(found(&another)[0], (Error, Mismatch::CannotRun { refusal: Refusal::KernelCluster { .. } })),
        "{another}"
    );
    // A device without clusters is not asked about them.
    let (guard, k) = guard_of(device(A100), function());
    guard.report(&clustered(Some([2, 1, 1])), k).unwrap();
    assert_eq!(guard.driver().calls(CLUSTERS), 0);
}

/// A cluster that only the kernel knows of needs to be allowed and to have room, and the grid is a multiple of it.
#[test]
fn a_cluster_of_the_kernel() {
    const BOUNDS: LaunchBounds = LaunchBounds::new().required_cluster([16, 1, 1]);
    const COMPILED: &[Compiled<'static>] =
        &[Compiled::new(Arch::SM_90, Kernel::new().registers(40).bounds(BOUNDS), "k in k.cubin")];
    let spec = clustered(None).compiled(COMPILED);
    let function = || FunctionDouble::new(40).cluster([16, 1, 1]);
    for (room, expected) in [(8, vec![]), (0, vec![(Error, Mismatch::NoCluster { cluster: [16, 1, 1] })])] {
        let report = report(device(H100), &spec, function().clusters(Ok(room)));
        assert!(report.prepared.allowed_non_portable_clusters);
        assert_eq!(found(&report), expected);
    }
    let (guard, k) = guard_of(device(H100), function());
    assert!(guard.admit(&spec, k, &Launched::of(&spec, [32, 1, 1])).is_ok());
    let odd = guard.admit(&spec, k, &Launched::of(&spec, [17, 1, 1])).unwrap_err();
    assert!(matches!(odd.mismatch(), Some(Mismatch::CannotRun { refusal: Refusal::PartialCluster { .. } })), "{odd}");
}

/// The driver's code that a refused launch would have met.
#[test]
fn codes_of_refusals() {
    let code = |device, spec: &LaunchSpec, function, launched: &Launched| {
        let (guard, k) = guard_of(device, function);
        guard.admit(spec, k, launched).unwrap_err().cuda_code()
    };
    let one = Launched::of(&HALF, [1; 3]);
    assert_eq!(code(device(A100), &HALF, FunctionDouble::new(168), &one), 701);
    assert_eq!(code(device(A100), &HALF, FunctionDouble::new(40).always(0), &one), 701);
    assert_eq!(code(device(A100), &HALF, FunctionDouble::new(40), &Launched::of(&HALF, [0; 3])), 1);
    assert_eq!(code(device(A100), &HALF, FunctionDouble::new(40), &Launched { block: [1; 3], ..one }), 1);
    let spec = clustered(Some([2, 1, 1]));
    let plain = Launched { cluster: None, ..Launched::of(&spec, [4, 1, 1]) };
    assert_eq!(code(device(H100), &spec, FunctionDouble::new(40), &plain), 912);
}

#[test]
fn as_text() {
    let text = report(device(A100), &HALF, FunctionDouble::new(168)).to_string();
    for part in ["occupancy 12.5% is below the required 50%", "registers: 168", "108 SMs", "registers: Some(40)"] {
        assert!(text.contains(part), "`{part}` is not in {text}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn as_json() {
    let json = serde_json::to_value(report(device(A100), &HALF, FunctionDouble::new(168))).unwrap();
    assert_eq!(json["kernel"], "k");
    assert_eq!(json["archs"][0], "sm_80");
    assert_eq!(json["device"]["limits"]["max_warps_per_sm"], 64);
    assert_eq!(json["function"]["registers"], 168);
    assert_eq!(json["blocks_per_sm"], 1);
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!(json["findings"][0]["mismatch"]["occupancy"]["blocks_per_sm"], 1);
    assert_eq!(json["findings"][1]["mismatch"]["registers"]["declared"]["exactly"], 40);
}

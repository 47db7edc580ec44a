//! What is compared before the first launch: each difference, and the same without it. Blocks per SM are NVIDIA's header's.

use super::*;
use occ_runtime::guard::{DeclaredRegisters, Severity::Error, Severity::Warning};
use occ_runtime::{Carveout, Ceilings, Check, Compiled, LaunchBounds, Refusal};

const SM_75: &[Arch] = &[Arch::SM_75];
const SM_80: &[Arch] = &[Arch::SM_80];
const SM_90: &[Arch] = &[Arch::SM_90];

fn report(spec: &LaunchSpec, model: KernelModel) -> Report {
    guard().report(spec, function(model)).unwrap()
}

#[test]
fn nothing_differs() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(half());
    let report = report(&spec, KernelModel::new(40));
    assert_eq!(found(&report), []);
    // The header: 6 blocks of 8 warps of 64.
    assert_eq!((report.blocks_per_sm, report.occupancy()), (6, 0.75));
    assert_eq!((report.device.sm_count, report.device.arch), (108, Some(Arch::SM_80)));
    assert!(admit(&guard(), &spec, function(KernelModel::new(40))).is_ok());
}

#[test]
fn registers() {
    let _turn = with_devices([DeviceModel::a100()]);
    let differ = |spec: &LaunchSpec, registers| {
        let report = report(spec, KernelModel::new(registers));
        let first = |finding: &&occ_runtime::guard::Finding| matches!(finding.mismatch, Mismatch::Registers { .. });
        report.findings.iter().find(first).map(|finding| {
            let Mismatch::Registers { declared, found } = finding.mismatch else { unreachable!() };
            (finding.severity, declared, found)
        })
    };
    let declared = |registers| spec(SM_80, Kernel::new().registers(registers)).require(half());
    assert_eq!(differ(&declared(40), 40), None);
    // 64 registers: 4 blocks, which is the half that is required.
    assert_eq!(differ(&declared(40), 64), Some((Warning, DeclaredRegisters::Exactly(40), 64)));
    assert_eq!(differ(&declared(40), 24), Some((Warning, DeclaredRegisters::Exactly(40), 24)));
    // 65: 3 blocks.
    assert_eq!(differ(&declared(40), 65), Some((Error, DeclaredRegisters::Exactly(40), 65)));

    let capped = declared(64).registers_are_cap();
    assert_eq!(differ(&capped, 24), None);
    assert_eq!(differ(&capped, 64), None);
    assert_eq!(differ(&capped, 65), Some((Error, DeclaredRegisters::AtMost(64), 65)));

    let unknown = spec(SM_80, Kernel::new()).require(half());
    assert_eq!(differ(&unknown, 64), None);
    assert_eq!(differ(&unknown, 65), Some((Error, DeclaredRegisters::Budget(64), 65)));
}

#[test]
fn registers_as_they_were_compiled() {
    const COMPILED: &[Compiled<'static>] = &[Compiled::new(Arch::SM_80, Kernel::new().registers(40), "k in k.cubin")];
    const BOTH: &[Arch] = &[Arch::SM_80, Arch::SM_86];
    let turn = with_devices([DeviceModel::a100()]);
    let spec = spec(BOTH, Kernel::new()).compiled(COMPILED);
    assert_eq!(found(&report(&spec, KernelModel::new(40))), []);
    let differs = Mismatch::Registers { declared: DeclaredRegisters::Exactly(40), found: 24 };
    assert_eq!(found(&report(&spec, KernelModel::new(24))), [(Warning, &differs)]);
    drop(turn);
    // The code for 8.0, on 8.6: what was read of it holds.
    let _turn = with_devices([DeviceModel::rtx_3090()]);
    assert_eq!(found(&report(&spec, KernelModel { binary: 80, ..KernelModel::new(40) })), []);
    assert_eq!(found(&report(&spec, KernelModel { binary: 80, ..KernelModel::new(24) })), [(Warning, &differs)]);
}

#[test]
fn ceilings() {
    let _turn = with_devices([DeviceModel::a100()]);
    let ceilings = Ceilings { registers: Some(40), max_stack: Some(16), max_spills: None };
    assert_eq!(Ceilings::new(), Ceilings { registers: None, max_stack: None, max_spills: None });
    let check = Check { ceilings, ..*spec(SM_80, Kernel::new()).check() };
    let spec = occ_runtime::__private::spec_of_compiled(spec(SM_80, Kernel::new()), check.compiled, check.ceilings);
    assert_eq!(found(&report(&spec, KernelModel { local: 16, ..KernelModel::new(40) })), []);
    let above = Mismatch::Registers { declared: DeclaredRegisters::AtMost(40), found: 64 };
    let local = Mismatch::Local { ceiling: 16, found: 24 };
    let report = report(&spec, KernelModel { local: 24, ..KernelModel::new(64) });
    assert_eq!(found(&report), [(Error, &above), (Warning, &local)]);
}

#[test]
fn static_shared_memory() {
    let _turn = with_devices([DeviceModel::tesla_t4()]);
    let declared = spec(SM_75, Kernel::new().registers(32).static_smem(8192)).require(half());
    assert_eq!(found(&report(&declared, KernelModel { static_smem: 8192, ..KernelModel::new(32) })), []);
    let less = Mismatch::StaticSmem { declared: 8192, found: 0 };
    assert_eq!(found(&report(&declared, KernelModel::new(32))), [(Warning, &less)]);
    // 48 KiB: 1 block.
    let report = report(&declared, KernelModel { static_smem: 49_152, ..KernelModel::new(32) });
    let more = Mismatch::StaticSmem { declared: 8192, found: 49_152 };
    assert!(
        matches!(found(&report)[..], [(Error, Mismatch::Occupancy { blocks_per_sm: 1, .. }), (Error, second)] if *second == more)
    );
}

/// From 9.0 on a driver may count what it reserves in each block.
#[test]
fn static_shared_memory_with_what_is_reserved() {
    let _turn = with_devices([DeviceModel::h100()]);
    let plain = spec(SM_90, Kernel::new().registers(32));
    // The header: 8 blocks with 0 bytes, and with 1 byte.
    let counted = KernelModel { static_smem: 1024, answers: vec![([256, 0], 8)], ..KernelModel::new(32) };
    let told = report(&plain, counted);
    assert_eq!((found(&told), told.static_smem_has_reserved), (vec![], true));
    let not = report(&plain, KernelModel::new(32));
    assert_eq!((found(&not), not.static_smem_has_reserved), (vec![], false));
}

#[test]
fn the_drivers_occupancy_against_the_requirement() {
    let _turn = with_devices([DeviceModel::a100()]);
    let of = |requirement: Requirement, registers| {
        let spec = spec(SM_80, Kernel::new().registers(24)).require(requirement);
        let report = report(&spec, KernelModel::new(registers));
        report.findings.iter().any(|finding| matches!(finding.mismatch, Mismatch::Occupancy { .. }))
    };
    // 64 registers: 4 blocks, 32 warps of 64; 65: 3.
    for (requirement, falls_short) in [
        (half(), [false, true]),
        (Requirement::new().min_blocks_per_sm(4), [false, true]),
        (Requirement::new().min_warps_per_sm(32), [false, true]),
        (Requirement::new().min_blocks_per_sm(5), [true, true]),
        (Requirement::new().min_warps_per_sm(24), [false, false]),
        (Requirement::new(), [false, false]),
    ] {
        assert_eq!([of(requirement, 64), of(requirement, 65)], falls_short, "{requirement:?}");
    }
}

#[test]
fn what_cannot_run() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(24), Launch::new(512));
    // The header: 129 registers in 512 threads hold no block.
    let refused = report(&spec, KernelModel::new(129));
    let [(Error, mismatch @ Mismatch::CannotRun { refusal: Refusal::RegistersPerBlock { registers: 129, .. } }), _] =
        found(&refused)[..]
    else {
        panic!("{refused}")
    };
    assert_eq!(mismatch.cuda_code(), 701);
    // A bound that the spec does not know.
    let bounded = report(&spec, KernelModel { max_threads: 256, ..KernelModel::new(24) });
    let kernel_threads = Mismatch::CannotRun { refusal: Refusal::KernelThreads { threads: 512, most: 256 } };
    assert_eq!(found(&bounded)[0], (Error, &kernel_threads));
    // The driver says no, and nobody knows why.
    stand_in().lie(Some(0));
    let unknown = report(&spec, KernelModel::new(24));
    let differs = Mismatch::BlocksPerSm { model: 4, driver: 0 };
    assert_eq!(found(&unknown), [(Error, &Mismatch::NoBlock), (Warning, &differs)]);
}

#[test]
fn the_model_against_the_driver() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(half());
    for (driver, severity) in [(7, None), (4, None), (3, Some(Error))] {
        stand_in().lie(Some(driver.try_into().unwrap()));
        let report = report(&spec, KernelModel::new(40));
        let differs = Mismatch::BlocksPerSm { model: 6, driver };
        assert!(found(&report).contains(&(Warning, &differs)), "{report}");
        assert_eq!(found(&report).first().map(|first| first.0).filter(|severity| *severity == Error), severity);
    }
}

#[test]
fn another_capability() {
    let _turn = with_devices([DeviceModel::rtx_3090()]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(Requirement::new().min_occupancy(0.75));
    // 6 blocks fill the 48 warps of 8.6.
    let other = Mismatch::Capability { declared: SM_80, found: [8, 6] };
    let passes = report(&spec, KernelModel::new(40));
    assert_eq!((found(&passes), passes.occupancy()), (vec![(Warning, &other)], 1.0));
    // 64 registers: 4 blocks, two thirds.
    let spec =
        LaunchSpec::new("k", SM_80, Kernel::new(), Launch::new(256)).require(Requirement::new().min_occupancy(0.75));
    let fails = report(&spec, KernelModel::new(64));
    assert!(matches!(found(&fails)[0], (Error, Mismatch::Occupancy { blocks_per_sm: 4, max_warps_per_sm: 48, .. })));
}

#[test]
fn a_capability_nobody_knows() {
    let mut device = DeviceModel::a100();
    device.attributes.insert(75, 15);
    let _turn = with_devices([device]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(half());
    for (driver, count) in [(6, 1), (3, 2)] {
        stand_in().lie(Some(driver));
        let report = report(&spec, KernelModel::new(40));
        assert!(report.model.is_none() && report.device.limits.is_none());
        assert_eq!(found(&report).len(), count, "{report}");
        let other = Mismatch::Capability { declared: SM_80, found: [15, 0] };
        assert!(found(&report).contains(&(Warning, &other)));
    }
}

#[test]
fn limits_other_than_the_tables() {
    let mut device = DeviceModel::a100();
    device.attributes.insert(82, 32_768);
    let _turn = with_devices([device]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(half());
    // Half of the registers: 3 blocks of 40 registers, by the same arithmetic as the header's 6 of twice as many.
    stand_in().lie(Some(3));
    let report = report(&spec, KernelModel::new(40));
    let [(Error, Mismatch::Occupancy { .. }), (Warning, Mismatch::Limit(limit))] = found(&report)[..] else {
        panic!("{report}")
    };
    assert_eq!((limit.attribute.number(), limit.table, limit.driver), (82, 65_536, 32_768));
}

#[test]
fn a_driver_that_knows_little() {
    let mut device = DeviceModel::a100();
    for newer in [97, 106, 111, 120] {
        device.attributes.remove(&newer);
    }
    let _turn = with_devices([device]);
    let spec = spec(SM_80, Kernel::new().registers(40)).require(half());
    let report = report(&spec, KernelModel::new(40));
    assert_eq!((found(&report), report.device.clusters), (vec![], None));
}

#[test]
fn carve_outs() {
    let _turn = with_devices([DeviceModel::a100()]);
    let launch = Launch::new(256).carveout(Carveout::Percent(100));
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(40), launch);
    let k = function(KernelModel::new(40));
    let report = guard().report(&spec, k).unwrap();
    assert_eq!((found(&report), report.prepared.set_carveout), (vec![], Some(100)));
    let half = LaunchSpec::new("k", SM_80, Kernel::new().registers(40), launch.carveout(Carveout::Percent(50)));
    let report = guard().report(&half, k).unwrap();
    assert_eq!(found(&report), [(Warning, &Mismatch::Carveout { declared: 50, found: 100 })]);
}

#[test]
fn clusters() {
    let mut device = DeviceModel::h100();
    device.active_clusters.extend([(2, 264), (4, 0), (16, 8)]);
    let _turn = with_devices([device]);
    let of = |cluster: Option<[u32; 3]>| {
        let launch = Launch { cluster, ..Launch::new(256) };
        LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch)
    };
    let compiled = |required_cluster| KernelModel { required_cluster, ..KernelModel::new(32) };
    let passes = report(&of(Some([2, 1, 1])), compiled(None));
    assert_eq!((found(&passes), passes.active_clusters), (vec![], Some(264)));
    assert_eq!(found(&report(&of(Some([2, 1, 1])), compiled(Some([2, 1, 1])))), []);
    assert_eq!(found(&report(&of(None), compiled(None))), []);
    // Compiled for another.
    let another = report(&of(Some([2, 1, 1])), compiled(Some([4, 1, 1])));
    assert!(
        matches!(found(&another)[0], (Error, Mismatch::CannotRun { refusal: Refusal::KernelCluster { .. } })),
        "{another}"
    );
    // Compiled for one that the spec does not know of.
    let unknown = report(&of(None), compiled(Some([2, 1, 1])));
    let differs = Mismatch::Cluster { declared: None, launched: Some([2, 1, 1]) };
    assert_eq!(found(&unknown), [(Error, &differs)]);
    // 16 blocks need to be allowed; none of 4 has room.
    let large = report(&of(Some([16, 1, 1])), compiled(None));
    assert_eq!((found(&large), large.prepared.allowed_non_portable_clusters), (vec![], true));
    let none = report(&of(Some([4, 1, 1])), compiled(None));
    assert_eq!(found(&none), [(Error, &Mismatch::NoCluster { cluster: [4, 1, 1] })]);
    // A driver that cannot tell.
    stand_in().forget("cuOccupancyMaxActiveClusters");
    let old = report(&of(Some([2, 1, 1])), compiled(None));
    assert_eq!((found(&old), old.active_clusters), (vec![], None));
}

/// A launch that passes no cluster has the one the kernel was compiled for.
#[test]
fn clusters_that_are_not_passed() {
    let mut device = DeviceModel::h100();
    device.active_clusters.insert(2, 264);
    let _turn = with_devices([device]);
    let spec = LaunchSpec::new("k", SM_90, Kernel::new().registers(32), Launch::new(256).cluster([2, 1, 1]));
    let plain = Launched { cluster: None, ..Launched::of(&spec, [4, 1, 1]) };
    let lost = guard().admit(&spec, function(KernelModel::new(32)), &plain).unwrap_err();
    let differs = Mismatch::Cluster { declared: Some([2, 1, 1]), launched: None };
    assert_eq!((lost.mismatch(), lost.cuda_code()), (Some(&differs), 912));
    let has_it = KernelModel { required_cluster: Some([2, 1, 1]), ..KernelModel::new(32) };
    assert!(guard().admit(&spec, function(has_it.clone()), &plain).is_ok());
    // A spec that knows it of the artifact.
    const BOUNDS: LaunchBounds = LaunchBounds { required_cluster: Some([2, 1, 1]), ..LaunchBounds::new() };
    const COMPILED: &[Compiled<'static>] =
        &[Compiled::new(Arch::SM_90, Kernel::new().registers(32).bounds(BOUNDS), "k in k.cubin")];
    let read = LaunchSpec::new("k", SM_90, Kernel::new(), Launch::new(256)).compiled(COMPILED);
    let k = function(has_it);
    assert!(guard().admit(&read, k, &Launched::of(&read, [4, 1, 1])).is_ok());
    let odd = guard().admit(&read, k, &Launched::of(&read, [3, 1, 1])).unwrap_err();
    assert!(matches!(odd.mismatch(), Some(Mismatch::CannotRun { refusal: Refusal::PartialCluster { .. } })), "{odd}");
}

/// A capability without clusters, on which a driver is not asked about them.
#[test]
fn clusters_where_there_are_none() {
    let _turn = with_devices([DeviceModel::a100()]);
    let of = |cluster| LaunchSpec::new("k", SM_90, Kernel::new().registers(32), Launch::new(256).cluster(cluster));
    let refused = report(&of([2, 1, 1]), KernelModel::new(32));
    assert_eq!(found(&refused)[0], (Error, &Mismatch::CannotRun { refusal: Refusal::NoClusters }), "{refused}");
    let one = report(&of([1, 1, 1]), KernelModel::new(32));
    let other = Mismatch::Capability { declared: SM_90, found: [8, 0] };
    assert_eq!(found(&one), [(Warning, &other)]);
}

/// A cluster that only the kernel knows of needs to be allowed, and to have room, as one of the spec's.
#[test]
fn a_large_cluster_of_the_kernel() {
    const BOUNDS: LaunchBounds = LaunchBounds { required_cluster: Some([16, 1, 1]), ..LaunchBounds::new() };
    const COMPILED: &[Compiled<'static>] =
        &[Compiled::new(Arch::SM_90, Kernel::new().registers(32).bounds(BOUNDS), "k in k.cubin")];
    let model = KernelModel { required_cluster: Some([16, 1, 1]), ..KernelModel::new(32) };
    let spec = LaunchSpec::new("k", SM_90, Kernel::new(), Launch::new(256)).compiled(COMPILED);
    for (room, expected) in [(8, None), (0, Some(Mismatch::NoCluster { cluster: [16, 1, 1] }))] {
        let mut device = DeviceModel::h100();
        device.active_clusters.insert(16, room);
        let _turn = with_devices([device]);
        let report = report(&spec, model.clone());
        assert!(report.prepared.allowed_non_portable_clusters);
        assert_eq!(found(&report), expected.iter().map(|mismatch| (Error, mismatch)).collect::<Vec<_>>());
    }
}

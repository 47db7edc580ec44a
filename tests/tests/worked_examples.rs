//! The two source documents' worked examples, every row: resident blocks on a textbook SM, latency hiding, waves,
//! divergence, and how the limits differ from card to card. All figures are the documents' own.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use occ_core::{
    Arch, Gpu, Kernel, LatencyHiding, Launch, Path, Refusal, Resource, SmLimits, Waves, allocation,
    divergence_lane_use, lane_efficiency, occupancy,
};
use occ_tests::with;

const KIB: u32 = 1 << 10;

/// 65,536 registers, 64 warps, 32 blocks, no granularity; shared memory as given.
const fn textbook(smem: u32) -> SmLimits {
    with!(SmLimits::TEXTBOOK, smem_per_sm: smem, smem_per_block: smem, smem_per_block_optin: smem)
}

struct Case {
    name: &'static str,
    sm: SmLimits,
    block: u32,
    registers: u32,
    smem: u32,
    /// By registers, shared memory and warps.
    limits: (u32, Option<u32>, u32),
    blocks: u32,
    warps: u32,
    percent: f64,
    limiters: &'static [Resource],
}

const CASES: [Case; 7] = [
    Case {
        name: "1 clean divide",
        sm: SmLimits::TEXTBOOK,
        block: 256,
        registers: 32,
        smem: 0,
        limits: (8, None, 8),
        blocks: 8,
        warps: 64,
        percent: 100.0,
        limiters: &[Resource::Registers, Resource::Warps],
    },
    Case {
        name: "2 register-bound",
        sm: SmLimits::TEXTBOOK,
        block: 256,
        registers: 128,
        smem: 0,
        limits: (2, None, 8),
        blocks: 2,
        warps: 16,
        percent: 25.0,
        limiters: &[Resource::Registers],
    },
    Case {
        name: "2b one step more",
        sm: SmLimits::TEXTBOOK,
        block: 256,
        registers: 130,
        smem: 0,
        limits: (1, None, 8),
        blocks: 1,
        warps: 8,
        percent: 12.5,
        limiters: &[Resource::Registers],
    },
    Case {
        name: "3 shared-bound",
        sm: textbook(96 * KIB),
        block: 256,
        registers: 2,
        smem: 48 * KIB,
        limits: (128, Some(2), 8),
        blocks: 2,
        warps: 16,
        percent: 25.0,
        limiters: &[Resource::SharedMemory],
    },
    Case {
        name: "4 warp-bound",
        sm: SmLimits::TEXTBOOK,
        block: 64,
        registers: 16,
        smem: 0,
        limits: (64, None, 32),
        blocks: 32,
        warps: 64,
        percent: 100.0,
        // The document counts warps only; its 32 blocks tie with them.
        limiters: &[Resource::Warps, Resource::Blocks],
    },
    Case {
        name: "4b with at most 16 blocks",
        sm: with!(SmLimits::TEXTBOOK, max_blocks_per_sm: 16),
        block: 64,
        registers: 16,
        smem: 0,
        limits: (64, None, 32),
        blocks: 16,
        warps: 32,
        percent: 50.0,
        limiters: &[Resource::Blocks],
    },
    Case {
        name: "self-check",
        sm: textbook(64 * KIB),
        block: 256,
        registers: 100,
        smem: 32 * KIB,
        limits: (2, Some(2), 8),
        blocks: 2,
        warps: 16,
        percent: 25.0,
        limiters: &[Resource::Registers, Resource::SharedMemory],
    },
];

#[test]
fn resident_blocks() {
    for case in CASES {
        let name = case.name;
        let kernel = Kernel::new().registers(case.registers);
        let answer = occupancy(&case.sm, &kernel, &Launch::new(case.block).dynamic_smem(case.smem)).unwrap();
        let (registers, shared_memory, warps) = case.limits;
        let limits = with!(
            answer.limits,
            warps,
            blocks: case.sm.max_blocks_per_sm,
            registers: Some(registers),
            shared_memory,
            barriers: None,
            virtual_resources: None,
        );
        assert_eq!(answer.limits, limits, "{name}");
        assert_eq!((answer.blocks_per_sm, answer.warps_per_sm()), (case.blocks, case.warps), "{name}");
        assert!((answer.fraction() * 100.0 - case.percent).abs() < 1e-9, "{name}");
        assert_eq!(answer.limiters().collect::<Vec<_>>(), case.limiters, "{name}");
        // Static shared memory counts like dynamic.
        let moved = occupancy(&case.sm, &kernel.static_smem(case.smem), &Launch::new(case.block)).unwrap();
        assert_eq!(moved, answer, "{name}");
    }
}

/// Case 5: no block fits. That is a refusal, not an occupancy of 0 %.
#[test]
fn cannot_fit() {
    let sm = SmLimits::TEXTBOOK;
    let kernel = Kernel::new().registers(256);
    let limits = allocation(&sm, &kernel, &Launch::new(512)).limits;
    assert_eq!((limits.registers, limits.warps, limits.lowest()), (Some(0), 4, 0));
    let refusal = occupancy(&sm, &kernel, &Launch::new(512)).unwrap_err();
    assert!(matches!(refusal, Refusal::RegistersPerBlock { registers: 256, .. }), "{refusal}");
    // The largest block that fits.
    let largest = (1..=1024).rfind(|&threads| occupancy(&sm, &kernel, &Launch::new(threads)).is_ok());
    assert_eq!(largest, Some(256));
}

/// Example 6: η(N) = min(N, L) / L with L = 300.
#[test]
fn latency_hiding() {
    let one = LatencyHiding { stall_cycles: 300, schedulers: 1, issue_interval: 1 };
    for (warps, share) in [(64, 0.213), (300, 1.0), (600, 1.0)] {
        assert!((one.share_hidden(warps) - share).abs() < 0.0005, "{warps}");
    }
    assert_eq!(one.warps_needed(), 300);
    // With S schedulers an SM of N warps has N/S each.
    for schedulers in [1, 2, 4] {
        let several = LatencyHiding { schedulers, ..one };
        assert_eq!(several.warps_needed(), 300 * u64::from(schedulers));
        assert!((several.share_hidden(64 * schedulers) - one.share_hidden(64)).abs() < 1e-12);
    }
    // A scheduler that issues every second cycle needs half as many.
    let slow = LatencyHiding { issue_interval: 2, ..one };
    assert_eq!(slow.warps_needed(), 150);
    assert!((slow.share_hidden(75) - 0.5).abs() < 1e-12);
}

/// Example 7: 80 SMs × 8 resident blocks.
#[test]
fn waves() {
    let waves = Waves::new(40, 8, 80).unwrap();
    assert_eq!(waves.slots(), 640);
    assert_eq!((waves.count(), waves.idle_sms()), (1, 40));
    assert!((waves.gpu_utilisation() - 0.5).abs() < 1e-12);
    // Each busy SM could hold 100 %: 8 blocks of 256 threads are all of the textbook SM's 64 warps.
    let full = occupancy(&SmLimits::TEXTBOOK, &Kernel::new().registers(32), &Launch::new(256)).unwrap();
    assert_eq!(full.blocks_per_sm, 8);
    assert!((full.fraction() - 1.0).abs() < 1e-12);

    let waves = Waves::new(2000, 8, 80).unwrap();
    assert_eq!((waves.count(), waves.tail_blocks()), (4, 80));
    // Packed, the tail fills 10 SMs and leaves 70 idle; spread, it is one block for each SM.
    assert_eq!((waves.tail_sms_packed(), waves.sm_count() - waves.tail_sms_packed()), (10, 70));
    assert_eq!(waves.tail_sms_spread(), 80);
}

/// Example 8: both paths are run, each at the cost of the whole warp.
#[test]
fn divergence() {
    let halves = [Path { lanes: 16, length: 1 }, Path { lanes: 16, length: 1 }];
    let lane_use = divergence_lane_use(&halves);
    assert!((lane_use - 0.5).abs() < 1e-12);
    assert!((1.0 / lane_use - 2.0).abs() < 1e-12);
    // The general form: Σ lanes × length ÷ Σ 32 × length.
    let paths = [Path { lanes: 24, length: 10 }, Path { lanes: 8, length: 30 }];
    assert!((divergence_lane_use(&paths) - 480.0 / 1280.0).abs() < 1e-12);
}

#[test]
fn limits_differ_by_card() {
    for (arch, warps) in
        [(Arch::SM_75, 32), (Arch::SM_80, 64), (Arch::SM_90, 64), (Arch::SM_89, 48), (Arch::SM_120, 48)]
    {
        assert_eq!(arch.limits().max_warps_per_sm, warps, "{arch}");
        assert!((16..=32).contains(&arch.limits().max_blocks_per_sm), "{arch}");
    }
    // A 256-thread block is a quarter of a T4's warps and an eighth of an H100's.
    for (gpu, share) in [("T4", 4), ("H100 SXM5 80 GB", 8)] {
        let sm = Gpu::find(gpu).unwrap().arch.limits();
        assert_eq!(sm.max_warps_per_sm, share * allocation(sm, &Kernel::new(), &Launch::new(256)).warps_per_block);
    }
}

/// Measured on a Tesla T4: a reservation of dynamic shared memory that is never read.
#[test]
fn reservation_ladder_of_a_t4() {
    let gpu = Gpu::find("Tesla T4").unwrap();
    let sm = gpu.arch.limits();
    assert_eq!((sm.max_warps_per_sm, sm.max_blocks_per_sm), (32, 16));
    assert_eq!((sm.registers_per_sm, sm.smem_per_sm), (65_536, 65_536));
    for (reservation, blocks, warps, percent) in
        [(0, 4, 32, 100.0), (21_760, 3, 24, 75.0), (32_768, 2, 16, 50.0), (49_152, 1, 8, 25.0)]
    {
        let answer = occupancy(sm, &Kernel::new(), &Launch::new(256).dynamic_smem(reservation)).unwrap();
        assert_eq!((answer.blocks_per_sm, answer.warps_per_sm()), (blocks, warps), "{reservation}");
        assert!((answer.fraction() * 100.0 - percent).abs() < 1e-9, "{reservation}");
    }
}

/// On a T4, 32-thread blocks meet the cap of 16 blocks at 16 of 32 warps, whatever else.
#[test]
fn small_blocks_strand_warp_slots() {
    for registers in [1, 16, 32, 64, 128] {
        let kernel = Kernel::new().registers(registers);
        let answer = occupancy(Arch::SM_75.limits(), &kernel, &Launch::new(32)).unwrap();
        assert_eq!((answer.blocks_per_sm, answer.warps_per_sm()), (16, 16));
        assert!((answer.fraction() - 0.5).abs() < 1e-12);
        assert!(answer.limits.is_limiter(Resource::Blocks));
    }
    assert!((lane_efficiency(32) - 1.0).abs() < 1e-12);
}

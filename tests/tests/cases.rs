//! Launches that went wrong for people, from public threads: what the model says of them.
//!
//! Each test or row names its thread. Numbers are the thread's own, or were computed with NVIDIA's `cuda_occupancy.h`
//! 12.9 (opt-in done, all shared memory); neither is ever our own output.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use occ_core::{
    Arch, Axis, Check, Gpu, Kernel, Launch, Refusal, Requirement, Resource, Rule, Target, Waves,
    available_dynamic_smem, best_block_size, occupancy, register_budget,
};
use occ_tests::with;

struct Case {
    thread: &'static str,
    arch: Arch,
    block: u32,
    registers: Option<u32>,
    static_smem: u32,
    dynamic_smem: u32,
    /// Blocks per SM; 0 for a launch that cannot run.
    blocks: u32,
    /// Occupancy in percent, to one decimal, where the thread or the header's run has it.
    percent: Option<f64>,
}

const NONE: Case = Case {
    thread: "",
    arch: Arch::SM_80,
    block: 256,
    registers: None,
    static_smem: 0,
    dynamic_smem: 0,
    blocks: 0,
    percent: None,
};

const fn registers(
    thread: &'static str,
    arch: Arch,
    registers: u32,
    block: u32,
    blocks: u32,
    percent: Option<f64>,
) -> Case {
    Case { thread, arch, block, registers: Some(registers), blocks, percent, ..NONE }
}

const fn dynamic(
    thread: &'static str,
    arch: Arch,
    block: u32,
    dynamic_smem: u32,
    blocks: u32,
    percent: Option<f64>,
) -> Case {
    Case { thread, arch, block, dynamic_smem, blocks, percent, ..NONE }
}

const CASES: &[Case] = &[
    // R1: 13 warps count as 16, so 65,536 ÷ 162 ≈ 404 threads is wrong.
    registers("HazyResearch/ThunderKittens#37", Arch::SM_89, 162, 512, 0, None),
    registers("HazyResearch/ThunderKittens#37", Arch::SM_89, 162, 416, 0, None),
    registers("HazyResearch/ThunderKittens#37", Arch::SM_89, 162, 404, 0, None),
    registers("HazyResearch/ThunderKittens#37", Arch::SM_89, 162, 384, 1, None),
    // R3
    registers("JuliaGPU/CUDA.jl#3138", Arch::SM_80, 255, 258, 0, None),
    registers("JuliaGPU/CUDA.jl#3138", Arch::SM_80, 255, 256, 1, None),
    // R11: 3 blocks if the granularity of warps is ignored.
    registers("kokkos/kokkos#5739", Arch::SM_80, 92, 224, 2, Some(21.9)),
    registers("kokkos/kokkos#5624", Arch::SM_80, 41, 128, 10, Some(62.5)),
    registers("kokkos/kokkos#5624", Arch::SM_80, 43, 128, 10, Some(62.5)),
    // B2: 65,536 bytes at 1024 threads, opted in.
    dynamic("huggingface/candle#3955", Arch::SM_80, 1024, 65_536, 2, None),
    dynamic("huggingface/candle#3955", Arch::SM_89, 1024, 65_536, 1, None),
    // S1: 8 × k × 1024 bytes, k = 12 and 13.
    dynamic("tracel-ai/cubek#334", Arch::SM_89, 1024, 98_304, 1, Some(66.7)),
    dynamic("tracel-ai/cubek#334", Arch::SM_89, 1024, 106_496, 0, None),
    // S3: all of the opt-in, and 16 static bytes more.
    dynamic("NVIDIA/Fuser#5272", Arch::SM_90, 256, 232_448, 1, None),
    Case { static_smem: 16, ..dynamic("NVIDIA/Fuser#5272", Arch::SM_90, 256, 232_448, 0, None) },
    // S7: 96 KiB exist on 7.0 and not on 7.5.
    dynamic("cupy/cupy#2118", Arch::SM_70, 256, 98_304, 1, None),
    dynamic("cupy/cupy#2118", Arch::SM_75, 256, 98_304, 0, None),
    // S12: the limit of 8.0 was taken for 8.6.
    dynamic("iree-org/iree#19575", Arch::SM_80, 256, 166_912, 1, None),
    dynamic("iree-org/iree#19575", Arch::SM_86, 256, 166_912, 0, None),
    dynamic("iree-org/iree#19575", Arch::SM_86, 256, 101_376, 1, None),
    dynamic("iree-org/iree#19575", Arch::SM_86, 256, 101_377, 0, None),
    // O1: one thread a block.
    dynamic("luminal-ai/luminal#268", Arch::SM_90, 1, 0, 32, Some(50.0)),
    // O2: 1024 threads.
    registers("chelsea0x3b/cudarc#149", Arch::SM_80, 32, 1024, 2, Some(100.0)),
    registers("chelsea0x3b/cudarc#149", Arch::SM_86, 32, 1024, 1, Some(66.7)),
    registers("chelsea0x3b/cudarc#149", Arch::SM_89, 32, 1024, 1, Some(66.7)),
    registers("chelsea0x3b/cudarc#149", Arch::SM_120, 32, 1024, 1, Some(66.7)),
    registers("chelsea0x3b/cudarc#149", Arch::SM_80, 33, 1024, 1, Some(50.0)),
    registers("chelsea0x3b/cudarc#149", Arch::SM_80, 65, 1024, 0, None),
    // O3: 16 blocks of 64 threads cannot fill 48 warps.
    registers("acts-project/traccc#1037", Arch::SM_86, 32, 64, 16, Some(66.7)),
    registers("acts-project/traccc#1037", Arch::SM_87, 32, 64, 16, Some(66.7)),
    registers("acts-project/traccc#1037", Arch::SM_80, 32, 64, 32, Some(100.0)),
    registers("acts-project/traccc#1037", Arch::SM_120, 32, 64, 24, Some(100.0)),
    registers("acts-project/traccc#1037", Arch::SM_86, 32, 96, 16, Some(100.0)),
    // O6
    registers("NVIDIA/cuCollections#672", Arch::SM_80, 36, 256, 6, Some(75.0)),
    registers("NVIDIA/cuCollections#672", Arch::SM_80, 32, 256, 8, Some(100.0)),
];

#[test]
fn blocks_per_sm() {
    for case in CASES {
        let kernel = with!(Kernel::new(), registers: case.registers, static_smem: case.static_smem);
        let launch = Launch::new(case.block).dynamic_smem(case.dynamic_smem);
        let answer = occupancy(case.arch.limits(), &kernel, &launch);
        let blocks = answer.map_or(0, |answer| answer.blocks_per_sm);
        let described = (case.thread, case.arch, case.block, case.registers, case.dynamic_smem);
        assert_eq!(blocks, case.blocks, "{described:?}");
        if let (Some(percent), Ok(answer)) = (case.percent, answer) {
            assert!((answer.fraction() * 100.0 - percent).abs() < 0.05, "{described:?}");
        }
    }
}

/// R1, R3: error 701, and the message names registers and offers a smaller block.
#[test]
fn too_many_registers_for_a_block() {
    for (thread, arch, registers, block, smaller) in [
        ("HazyResearch/ThunderKittens#37", Arch::SM_89, 162, 512, "`block = 384`"),
        ("JuliaGPU/CUDA.jl#3138", Arch::SM_80, 255, 258, "`block = 256`"),
    ] {
        let archs = [arch];
        let check = Check {
            archs: &archs,
            kernel: Kernel::new().registers(registers),
            launch: Launch::new(block),
            ..Check::new()
        };
        let refusal = check.occupancy_on(arch).unwrap_err();
        assert_eq!(refusal.cuda_error().unwrap().code, 701, "{thread}");
        let text = check.explain(Rule::Launch);
        for part in ["registers", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "701", smaller] {
            assert!(text.as_str().contains(part), "{thread}: {part}: {text}");
        }
    }
}

/// R5, numba/numba#3798: registers × threads above the registers of a block never runs.
#[test]
fn product_of_registers_and_threads() {
    for arch in Arch::ALL {
        let sm = arch.limits();
        for threads in (1..=1024).filter(|threads| threads % 31 == 0 || threads % 32 == 0) {
            for registers in sm.registers_per_block / threads + 1..=255 {
                let answer = occupancy(sm, &Kernel::new().registers(registers), &Launch::new(threads));
                assert!(answer.is_err(), "{arch} {registers} × {threads}");
            }
        }
    }
}

/// R6, NVIDIA/numba-cuda-mlir#167: on error 701 a number for `max_registers` is recommended.
#[test]
fn a_register_cap_is_recommended() {
    let check = Check {
        archs: &[Arch::SM_89],
        kernel: Kernel::new().registers(162),
        registers_are_cap: true,
        launch: Launch::new(512),
        ..Check::new()
    };
    // 65,536 registers ÷ 16 warps ÷ 32 lanes.
    assert!(check.explain(Rule::Launch).as_str().contains("limit `max_registers` to 128"));
    assert_eq!(register_budget(Arch::SM_89.limits(), &check.kernel, &check.launch, 1), Some(128));
}

/// R8, fzi-forschungszentrum-informatik/gpu-voxels#112: a block has 32,768 registers on 5.3 and 6.2 (programming guide).
#[test]
fn half_the_registers_on_tegra() {
    for (arch, registers_per_block) in
        [(Arch::SM_53, 32_768), (Arch::SM_62, 32_768), (Arch::SM_52, 65_536), (Arch::SM_61, 65_536)]
    {
        assert_eq!(arch.limits().registers_per_block, registers_per_block, "{arch}");
        let most = registers_per_block / 1024;
        let runs =
            |registers| occupancy(arch.limits(), &Kernel::new().registers(registers), &Launch::new(1024)).is_ok();
        assert!(runs(31) && runs(most) && !runs(most + 1), "{arch}");
    }
}

/// B1, B5, B7: blocks and grids outside their limits.
#[test]
fn shapes_outside_the_limits() {
    let launch = Launch::new(32_768).dynamic_smem(131_072);
    let candle = occupancy(Arch::SM_89.limits(), &Kernel::new(), &launch).unwrap_err();
    assert_eq!(candle, Refusal::BlockThreads { threads: 32_768, most: 1024 }, "huggingface/candle#2361");

    for arch in Arch::ALL {
        let grid = |axes| {
            let launch = Launch::new(256).dynamic_smem(128).grid(axes);
            occupancy(arch.limits(), &Kernel::new(), &launch).map(|answer| answer.blocks_per_sm > 0)
        };
        // ggml-org/llama.cpp#27901
        assert_eq!(grid([1, 65_535, 1]), Ok(true));
        assert_eq!(grid([1, 65_536, 1]), Err(Refusal::GridAxis { axis: Axis::Y, blocks: 65_536, most: 65_535 }));
        // pjreddie/darknet#1791
        assert_eq!(grid([0, 1, 1]), Err(Refusal::EmptyGrid { axis: Axis::X }));
    }
    for refusal in [
        candle,
        Refusal::GridAxis { axis: Axis::Y, blocks: 65_536, most: 65_535 },
        Refusal::EmptyGrid { axis: Axis::X },
    ] {
        assert_eq!(refusal.cuda_error().unwrap().name, "CUDA_ERROR_INVALID_VALUE");
    }
}

/// B2, S7, A10: what needs the opt-in is told apart from what does not fit. Threads: huggingface/candle#3955,
/// cupy/cupy#2118, NVIDIA/cutlass#532.
#[test]
fn opt_in_is_not_too_large() {
    for (arch, block, bytes, optin) in [
        (Arch::SM_80, 1024, 65_536, 166_912),
        (Arch::SM_89, 1024, 65_536, 101_376),
        (Arch::SM_70, 256, 98_304, 98_304),
        (Arch::SM_80, 256, 49_153, 166_912),
    ] {
        let launch = Launch::new(block).dynamic_smem(bytes);
        assert!(occupancy(arch.limits(), &Kernel::new(), &launch).is_ok(), "{arch} {bytes}");
        let refusal = occupancy(arch.limits(), &Kernel::new(), &launch.smem_optin(false)).unwrap_err();
        let expected = Refusal::SharedMemoryOptIn { bytes: bytes.into(), most: 49_152, most_after_optin: optin };
        assert_eq!(refusal, expected, "{arch}");
        assert!(refusal.to_string().contains("opt-in"));
    }
    // candle: a width of 8192 takes 32 KiB, which needs none.
    let launch = Launch::new(1024).dynamic_smem(32_768).smem_optin(false);
    assert!(occupancy(Arch::SM_89.limits(), &Kernel::new(), &launch).is_ok());
    // cupy: 96 KiB do not fit on 7.5 at all.
    let launch = Launch::new(256).dynamic_smem(98_304).smem_optin(false);
    let refusal = occupancy(Arch::SM_75.limits(), &Kernel::new(), &launch).unwrap_err();
    assert_eq!(refusal, Refusal::SharedMemory { bytes: 98_304, most: 65_536 });
}

/// S1, S3, S12: the most a block can have.
#[test]
fn most_shared_memory() {
    for (thread, arch, most) in [
        ("tracel-ai/cubek#334", Arch::SM_89, 101_376),
        ("NVIDIA/Fuser#5272", Arch::SM_90, 232_448),
        ("iree-org/iree#19575", Arch::SM_86, 101_376),
        ("iree-org/iree#19575", Arch::SM_80, 166_912),
    ] {
        assert_eq!(arch.limits().smem_per_block_optin, most, "{thread}");
        let available = available_dynamic_smem(arch.limits(), &Kernel::new(), &Launch::new(256), 1);
        assert_eq!(available, Some(most), "{thread}");
    }
}

/// O1, luminal-ai/luminal#268: 81 times slower at "50 %". Only the lanes tell.
#[test]
fn one_thread_a_block() {
    let check = Check {
        archs: &[Arch::SM_90],
        launch: Launch::new(1),
        requirement: Requirement::new().min_occupancy(0.5),
        ..Check::new()
    };
    assert!(check.passes());
    let answer = check.occupancy_on(Arch::SM_90).unwrap();
    assert!(answer.limiters().eq([Resource::Blocks]));

    let check = Check { requirement: check.requirement.min_lane_efficiency(0.5), ..check };
    assert!(!check.verdict(Rule::MinLaneEfficiency).passes());
    // 1/32
    assert!(
        check.explain(Rule::MinLaneEfficiency).as_str().contains("3.1%"),
        "{}",
        check.explain(Rule::MinLaneEfficiency)
    );
}

/// O3, acts-project/traccc#1037: 64 threads are not the best on 8.6, 96 reach all.
#[test]
fn best_block_is_not_64() {
    let best = best_block_size(Arch::SM_86.limits(), &Kernel::new().registers(32), &Launch::new(1)).unwrap();
    assert_eq!(best.threads * best.blocks_per_sm, 1536);
}

/// O6, NVIDIA/cuCollections#672: at most 32 registers reach 100 %.
#[test]
fn registers_for_full_occupancy() {
    let check = Check {
        archs: &[Arch::SM_80],
        kernel: Kernel::new().registers(36),
        launch: Launch::new(256),
        requirement: Requirement::new().min_occupancy(1.0),
        ..Check::new()
    };
    assert!(check.explain(Rule::Launch).as_str().contains("limit `registers` to 32"));
}

/// O8, beehive-lab/TornadoVM#1083: forcing occupancy up cost 2 and 7 times the speed. Nothing is required by default.
#[test]
fn no_occupancy_is_required_by_default() {
    // 255 registers × 256 threads: 12.5 %.
    let kernel = Kernel::new().registers(255);
    let check = Check { archs: &[Arch::SM_80], kernel, launch: Launch::new(256), ..Check::new() };
    assert_eq!(check.requirement, Requirement::default());
    assert!(check.passes());
}

/// O9, NVIDIA/thrust#1051: a minimum of 1 block told the compiler not to care; better none than 1.
#[test]
fn launch_bounds_never_say_one_block() {
    let check =
        Check { archs: &[Arch::SM_80], kernel: Kernel::new().registers(162), launch: Launch::new(512), ..Check::new() };
    let text = check.explain(Rule::Launch);
    assert!(text.as_str().contains("`__launch_bounds__(512)`"), "{text}");
}

/// A1, Rust-GPU/rust-cuda#410: PTX for `compute_75` on a GTX 1070, which is 6.1.
#[test]
fn ptx_for_a_later_capability() {
    let gpu = Gpu::find("GTX 1070").unwrap();
    assert_eq!(gpu.arch, Arch::SM_61);
    assert!(!Target::parse("compute_75").unwrap().runs_on(gpu.arch));
    assert!(Target::parse("compute_61").unwrap().runs_on(gpu.arch));
}

/// A4, pytorch/pytorch#45889: code for 8.0 runs on 8.6, which has 1536 threads per SM instead of 2048.
#[test]
fn code_runs_where_other_limits_hold() {
    assert!(Target::parse("sm_80").unwrap().runs_on(Arch::SM_86));
    assert_eq!(Arch::SM_80.limits().max_threads_per_sm(), 2048);
    assert_eq!(Arch::SM_86.limits().max_threads_per_sm(), 1536);
    // What fills 8.0 does not fill 8.6.
    let full = Requirement::new().min_occupancy(1.0);
    let on = |archs| Check { archs, launch: Launch::new(1024), requirement: full, ..Check::new() }.passes();
    assert!(on(&[Arch::SM_80]));
    assert!(!on(&[Arch::SM_80, Arch::SM_86]));
}

/// A5: a cooperative grid has to fit at once, on this product's SMs, not on those of another of its capability.
/// Threads: ruwwww/ninfer-5060ti#1, cupy/cupy#3894, JuliaGPU/CUDA.jl#247.
#[test]
fn cooperative_grid() {
    let kernel = Kernel::new().registers(64);
    for (name, sms) in [("RTX 5060 Ti", 36), ("RTX 5070 Ti", 70)] {
        let gpu = Gpu::find(name).unwrap();
        assert_eq!((gpu.arch, gpu.sm_count), (Arch::SM_120, sms));
        // 64 registers × 256 threads: 4 of 65,536 registers.
        let blocks_per_sm = occupancy(gpu.arch.limits(), &kernel, &Launch::new(256)).unwrap().blocks_per_sm;
        assert_eq!(blocks_per_sm, 4);
        let waves = |blocks| Waves::new(blocks, blocks_per_sm, gpu.sm_count).unwrap().count();
        assert_eq!((waves(u64::from(sms) * 4), waves(u64::from(sms) * 4 + 1)), (1, 2), "{name}");
    }
}

/// A8, chelsea0x3b/cudarc#586: a fixed amount of dynamic shared memory counts in the search for a block size.
#[test]
fn best_block_with_fixed_shared_memory() {
    let sm = Arch::SM_86.limits();
    let kernel = Kernel::new().registers(32);
    let without = best_block_size(sm, &kernel, &Launch::new(1)).unwrap();
    assert_eq!((without.threads, without.blocks_per_sm), (768, 2));
    // One block of 60 KiB fits into 100 KiB: the largest block is best.
    let with = best_block_size(sm, &kernel, &Launch::new(1).dynamic_smem(60 << 10)).unwrap();
    assert_eq!((with.threads, with.blocks_per_sm), (1024, 1));
}

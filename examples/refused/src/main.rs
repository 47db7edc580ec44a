//! Launches from public bug reports. None of them builds: `cargo check` says why, and what to write instead.
//!
//! In the reports they failed at run time, or ran slowly without an error. `expected.stderr`, next to `Cargo.toml`,
//! contains the errors that the compiler reports for this file.

use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement, launch_config};

/// HazyResearch/ThunderKittens#37: error 701. 65536 / 162 suggests up to 404 threads, but only 384 can run.
#[launch_config(arch = "sm_89", block = 512, registers = 162)]
fn attention() {}

/// JuliaGPU/CUDA.jl#3138: error 701, which does not mention registers.
#[launch_config(arch = "sm_80", block = 258, registers = 255, allow = (partial_warp))]
fn broadcast() {}

/// huggingface/candle#2361: "invalid argument" when a row is longer than the largest block.
#[launch_config(arch = "sm_80", block = 32768, dynamic_smem = 32768 * 4)]
fn argsort() {}

/// NVIDIA/Fuser#5272: dynamic shared memory takes all that a block can have, and the kernel has 16 static bytes.
#[launch_config(arch = "sm_90", block = 256, dynamic_smem = 232448, static_smem = 16)]
fn matmul() {}

/// iree-org/iree#19575: shared memory that fits on 8.0, but not on 8.6.
#[launch_config(arch = ["sm_80", "sm_86"], block = 256, dynamic_smem = 166912)]
fn pipelined_matmul() {}

/// luminal-ai/luminal#268: 81 times slower than with 256 threads. Occupancy is 50%; only lane efficiency is low.
#[launch_config(
    arch = "sm_90",
    min_occupancy = 0.5,
    min_lane_efficiency = 1.0,
    block = (1, 1, 1),
    allow = (single_thread),
)]
fn gather() {}

/// chelsea0x3b/cudarc#149: blocks of 1024 threads leave a third of each SM empty where an SM holds 1536.
#[launch_config(arch = ["sm_80", "sm_86", "sm_89", "sm_120"], min_occupancy = 0.75, block = 1024, registers = 32)]
fn elementwise() {}

/// acts-project/traccc#1037: blocks of 64 threads are too small for 8.6, which holds only 16 of them.
#[launch_config(arch = ["sm_80", "sm_86", "sm_120"], min_occupancy = 1.0, block = 64, registers = 32)]
struct Clusterization;

const THREADS: u32 = 1024;
const K: u32 = 13;

/// tracel-ai/cubek#334: runs with `K` = 12, fails with 13. The compiler checks constants and reports the same errors.
#[launch_config(arch = "sm_89", block = THREADS, dynamic_smem = 8 * K * THREADS)]
fn top_k() {}

/// The same launch without the attribute.
const TOP_K: LaunchSpec =
    LaunchSpec::new("top_k", &[Arch::SM_89], Kernel::new(), Launch::new(THREADS).dynamic_smem(8 * K * THREADS))
        .require(Requirement::new());

fn main() {
    for launch in [attention, broadcast, argsort, matmul, pipelined_matmul, gather, elementwise, top_k] {
        launch();
    }
    println!("{}\n{TOP_K}", Clusterization::SPEC);
}

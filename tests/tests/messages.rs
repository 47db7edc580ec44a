//! The exact words of [`Check::explain`]: on every compute capability, with numbers computed from `data/devices.csv`,
//! and for every rule. Where an error points is shown by `ui.rs`.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod support;

use occ_core::{Arch, Ceilings, Check, Compiled, Gpu, Kernel, Launch, Requirement, Rule};
use support::{Row, columns, rows};

const DEVICES: &str = include_str!("../data/devices.csv");

/// Limits of a capability as NVIDIA publishes them, and what they admit.
struct Device {
    name: String,
    max_warps: u32,
    max_blocks: u32,
    registers: u32,
    smem: u32,
    smem_reserved: u32,
    smem_unit: u32,
    /// Barriers of an SM, where they limit.
    barriers: Option<u32>,
}

impl Device {
    fn new(row: &Row<'_>) -> Self {
        let number = |column| row.number(column).unwrap();
        Device {
            name: row.text("sm_names").split(' ').next().unwrap().to_owned(),
            max_warps: number("max_warps_per_sm"),
            max_blocks: number("max_blocks_per_sm"),
            registers: number("regs_per_sm"),
            smem: number("smem_per_sm"),
            smem_reserved: number("smem_reserved_per_block"),
            smem_unit: number("smem_alloc_unit"),
            barriers: (row.text("barrier_limit_in_header") == "yes").then(|| number("barriers_per_sm")),
        }
    }

    /// Each resource's block limit for blocks of `warps` warps that have one barrier.
    ///
    /// A warp takes whole units of 256 registers: `registers` is a multiple of 8, so 32 × `registers` is one of 256.
    fn table(&self, warps: u32, registers: u32, dynamic_smem: u32) -> String {
        let mut table = format!("registers {}", self.registers / (warps * 32 * registers));
        if let Some(blocks) = self.smem.checked_div(dynamic_smem + self.smem_reserved) {
            table = format!("{table}, shared memory {blocks}");
        }
        if let Some(barriers) = self.barriers {
            table = format!("{table}, barriers {barriers}");
        }
        format!("{table}, warps {}, blocks {}", self.max_warps / warps, self.max_blocks)
    }

    /// The share of the SM's warps in percent, as it is shown: to one decimal, halves up.
    fn percent(&self, warps: u32) -> String {
        let tenths = (2000 * warps + self.max_warps) / (2 * self.max_warps);
        match tenths % 10 {
            0 => format!("{}%", tenths / 10),
            decimal => format!("{}.{decimal}%", tenths / 10),
        }
    }
}

fn resident(count: u32, warps: u32, device: &Device) -> String {
    let (s, are) = if count == 1 { ("", "is") } else { ("s", "are") };
    format!("only {count} block{s} ({} of {} warps) {are} resident per SM", count * warps, device.max_warps)
}

/// Compares what a launch is told on all declared capabilities with `expected`, which is `None` where the launch passes.
fn on_every_capability(
    launch: Launch,
    registers: u32,
    min_occupancy: f64,
    expected: impl Fn(&Device) -> Option<String>,
) {
    let columns = columns(DEVICES);
    let devices: Vec<Device> = rows(DEVICES, &columns).iter().map(Device::new).collect();
    for arch in Arch::ALL {
        let check = Check {
            archs: &[arch],
            kernel: Kernel::new().registers(registers),
            launch,
            requirement: Requirement::new().min_occupancy(min_occupancy),
            ..Check::new()
        };
        let device = devices.iter().find(|device| device.name == arch.name()).unwrap();
        assert_eq!(check.explain(Rule::Launch).as_str(), expected(device).unwrap_or_default(), "{arch}");
    }
}

#[test]
fn limited_by_registers_on_every_capability() {
    on_every_capability(Launch::new(256), 128, 0.5, |device| {
        let fitting = device.registers / (256 * 128);
        let required = (device.max_warps / 2).div_ceil(8);
        let budget = device.registers / (256 * required) / 8 * 8;
        (fitting < required).then(|| {
            format!(
                "occupancy {} on {} is below the required 50%\n\
                 = note: limited by registers: at 128 per thread and 8 warps per block, {}\n\
                 = note: blocks per SM by resource: {}\n\
                 = help: limit `registers` to {budget} to reach 50% \
                 (compile the kernel with `__launch_bounds__(256, {required})`)",
                device.percent(8 * fitting),
                device.name,
                resident(fitting, 8, device),
                device.table(8, 128, 0),
            )
        })
    });
}

#[test]
fn limited_by_shared_memory_on_every_capability() {
    on_every_capability(Launch::new(128).dynamic_smem(32768), 32, 0.75, |device| {
        let per_block = 32768 + device.smem_reserved;
        let fitting = device.smem / per_block;
        let required = (device.max_warps * 3 / 4).div_ceil(4);
        let limit = device.smem / required / device.smem_unit * device.smem_unit - device.smem_reserved;
        let reserved = match device.smem_reserved {
            0 => String::new(),
            bytes => format!(" + {bytes} reserved by the driver"),
        };
        // The fewest warps with which the blocks that fit are enough.
        let threads = 32 * (device.max_warps * 3 / 4).div_ceil(fitting);
        let larger_block = match threads {
            ..=1024 => format!("\n= help: set `block = {threads}` to reach 75%"),
            _ => String::new(),
        };
        (fitting < required).then(|| {
            format!(
                "occupancy {} on {} is below the required 75%\n\
                 = note: limited by shared memory: at {per_block} bytes per block (32768 dynamic{reserved}) of the SM's {}, {}\n\
                 = note: blocks per SM by resource: {}\n\
                 = help: limit `dynamic_smem` to {limit} to reach 75%{larger_block}",
                device.percent(4 * fitting),
                device.name,
                device.smem,
                resident(fitting, 4, device),
                device.table(4, 32, 32768),
            )
        })
    });
}

/// A launch that breaks each rule and no other, and what it is told.
#[test]
fn every_rule() {
    let compiled = [Compiled {
        stack: Some(96),
        spills: Some(24),
        min_blocks_per_sm: Some(3),
        ..Compiled::new(Arch::SM_80, Kernel::new().registers(76), "`saxpy` in saxpy.cubin, sm_80")
    }];
    let a100 = Gpu::find("A100 SXM4 40 GB").unwrap();
    let passing = Check { archs: &[Arch::SM_80], gpus: &[a100], launch: Launch::new(256), ..Check::new() };
    let as_compiled = Check { compiled: &compiled, ..passing };
    let on_a_grid =
        Check { launch: Launch::new(256).grid([2000, 1, 1]), kernel: Kernel::new().registers(32), ..passing };

    for rule in Rule::ALL {
        let (check, expected) = match rule {
            // 168 × 32 × 8 = 43,008 of 65,536 registers.
            Rule::Launch => (
                Check {
                    kernel: Kernel::new().registers(168),
                    requirement: Requirement::new().min_occupancy(0.5),
                    ..passing
                },
                "occupancy 12.5% on sm_80 is below the required 50%\n\
                 = note: limited by registers: at 168 per thread and 8 warps per block, only 1 block (8 of 64 warps) is \
                 resident per SM\n\
                 = note: blocks per SM by resource: registers 1, shared memory 164, warps 8, blocks 32\n\
                 = help: limit `registers` to 64 to reach 50% \
                 (compile the kernel with `__launch_bounds__(256, 4)`)",
            ),
            // 100 of 128 lanes.
            Rule::MinLaneEfficiency => (
                Check { launch: Launch::new(100), requirement: Requirement::new().min_lane_efficiency(0.9), ..passing },
                "lane efficiency 78.1% is below the required 90%\n\
                 = note: a block of 100 threads takes 4 warps of 32 lanes; 28 of 128 lanes have no thread\n\
                 = help: set `block = 96` to meet `min_lane_efficiency`",
            ),
            // 2000 ÷ 864 = 2.31.
            Rule::MinWaves => (
                Check { requirement: Requirement::new().min_waves(3.0), ..on_a_grid },
                "the grid takes 2.3 waves on A100 SXM4 40 GB; the required minimum is 3\n\
                 = note: 2000 blocks over 864 slots (108 SMs × 8 blocks): 2 full waves and a tail of 272 blocks, \
                 which leaves 68.5% of its wave idle\n\
                 = help: set `grid = 2592` to meet `min_waves`",
            ),
            // 1.5 × 864.
            Rule::MaxWaves => (
                Check { requirement: Requirement::new().max_waves(1.5), ..on_a_grid },
                "the grid takes 2.3 waves on A100 SXM4 40 GB; the declared maximum is 1.5\n\
                 = note: 2000 blocks over 864 slots (108 SMs × 8 blocks): 2 full waves and a tail of 272 blocks, \
                 which leaves 68.5% of its wave idle\n\
                 = help: set `grid = 1296` to meet `max_waves`",
            ),
            // 592 of 864 slots; 3 × 864 − 0.25 × 864 = 2376.
            Rule::MaxTailIdle => (
                Check { requirement: Requirement::new().max_tail_idle(0.25), ..on_a_grid },
                "68.5% of the last wave is idle on A100 SXM4 40 GB; the declared maximum is 25%\n\
                 = note: 2000 blocks over 864 slots (108 SMs × 8 blocks): 2 full waves and a tail of 272 blocks, \
                 which leaves 68.5% of its wave idle\n\
                 = help: set `grid = 2376` to meet `max_tail_idle`",
            ),
            Rule::Registers => (
                Check { ceilings: Ceilings { registers: Some(64), ..Ceilings::new() }, ..as_compiled },
                "`saxpy` in saxpy.cubin, sm_80: register count 76 exceeds the declared maximum of 64\n\
                 = help: compile the kernel with `-maxrregcount=64`, or set `registers = 76` to accept it",
            ),
            Rule::MaxStack => (
                Check { ceilings: Ceilings { max_stack: Some(64), ..Ceilings::new() }, ..as_compiled },
                "`saxpy` in saxpy.cubin, sm_80: stack size 96 bytes exceeds the declared maximum of 64\n\
                 = help: set `max_stack = 96` to accept it",
            ),
            Rule::MaxSpills => (
                Check { ceilings: Ceilings { max_spills: Some(0), ..Ceilings::new() }, ..as_compiled },
                "`saxpy` in saxpy.cubin, sm_80: spill size 24 bytes exceeds the declared maximum of 0\n\
                 = help: set `max_spills = 24` to accept it",
            ),
            // 66,560 bytes fit twice into 167,936; 55,936 − 1,024 fit three times.
            Rule::CompiledMinBlocks => (
                Check { launch: Launch::new(256).dynamic_smem(65536), ..as_compiled },
                "the kernel was compiled for at least 3 blocks per SM (`.minnctapersm`); only 2 are resident on sm_80\n\
                 = note: limited by shared memory: at 66560 bytes per block (65536 dynamic + 1024 reserved by the driver) \
                 of the SM's 167936, only 2 blocks (16 of 64 warps) are resident per SM\n\
                 = note: blocks per SM by resource: registers 3, shared memory 2, warps 8, blocks 32\n\
                 = note: `saxpy` in saxpy.cubin, sm_80: 76 registers, 0 bytes of static shared memory, 1 barrier\n\
                 = note: the compiler limited registers for that minimum, which the launch misses; \
                 `allow = (compiled_min_blocks)` accepts it\n\
                 = help: limit `dynamic_smem` to 54912 to hold that many blocks",
            ),
            rule => panic!("no message of {rule:?} is tested"),
        };
        assert_eq!(check.explain(rule).as_str(), expected, "{rule:?}");
        for other in Rule::ALL {
            assert_eq!(check.verdict(other).passes(), other != rule, "{rule:?}, {other:?}");
        }
    }
    for rule in Rule::ALL {
        assert!(passing.explain(rule).is_empty(), "{rule:?}");
    }
}

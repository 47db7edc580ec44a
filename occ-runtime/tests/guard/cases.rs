//! Every row of the table of comparisons, with the difference and without it: what is found, how bad it is, and the words
//! for it.

use crate::recorded::{DeviceDouble, FunctionDouble};
use crate::*;
use occ_runtime::driver::DeviceAttribute;
use occ_runtime::guard::Severity::{self, Error, Warning};
use occ_runtime::guard::{DeclaredRegisters, LimitDifference, Mismatch};
use occ_runtime::{BlockLimits, Carveout, Ceilings, Compiled, LaunchBounds, Refusal, SmLimits, allocation};

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) device: DeviceDouble,
    pub(crate) function: FunctionDouble,
    pub(crate) spec: LaunchSpec,
    /// The launch, where it is not the spec's.
    pub(crate) launched: Option<Launched>,
    /// The worst first.
    pub(crate) expected: Vec<(Severity, Mismatch)>,
    /// Error, warning or message of the level `debug`, without the kernel and the device at its beginning.
    pub(crate) text: &'static str,
}

impl Case {
    fn new(name: &'static str, device: DeviceDouble, function: FunctionDouble, spec: LaunchSpec) -> Self {
        Case { name, device, function, spec, launched: None, expected: Vec::new(), text: "" }
    }

    fn launched(self, change: impl FnOnce(&mut Launched)) -> Self {
        let mut launched = Launched::of(&self.spec, [1, 1, 1]);
        change(&mut launched);
        Case { launched: Some(launched), ..self }
    }

    fn finds(mut self, severity: Severity, mismatch: Mismatch) -> Self {
        self.expected.push((severity, mismatch));
        self
    }

    fn says(self, text: &'static str) -> Self {
        Case { text, ..self }
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.expected.iter().any(|(severity, _)| *severity == Error)
    }

    pub(crate) fn launch(&self) -> Launched {
        self.launched.unwrap_or(Launched::of(&self.spec, self.spec.shape().cluster.unwrap_or([1; 3])))
    }
}

/// As checked: the header holds 6 blocks of 8 warps of 64.
const AS_CHECKED: &str = "as checked, 6 blocks per SM, occupancy 75.0%";

fn spec(archs: &'static [Arch], kernel: Kernel, launch: Launch) -> LaunchSpec {
    LaunchSpec::new("k", archs, kernel, launch)
}

fn kernel(registers: u32) -> Kernel {
    Kernel::new().registers(registers)
}

fn at_least(fraction: f64) -> Requirement {
    Requirement::new().min_occupancy(fraction)
}

fn registers(declared: DeclaredRegisters, found: u32) -> Mismatch {
    Mismatch::Registers { declared, found }
}

/// Limits of registers, shared memory, warps and blocks.
fn limits([registers, shared_memory, warps, blocks]: [u32; 4]) -> BlockLimits {
    let mut limits = allocation(&SmLimits::TEXTBOOK, &Kernel::new(), &Launch::new(1)).limits;
    (limits.registers, limits.shared_memory, limits.warps, limits.blocks) =
        (Some(registers), Some(shared_memory), warps, blocks);
    limits
}

/// Half of the warps of an A100 are missed with blocks of 256 threads, by registers. 64 registers: the header holds 4
/// blocks; 65: 3.
fn misses_half(found: u32, limits: BlockLimits) -> Mismatch {
    Mismatch::Occupancy {
        required: at_least(0.5),
        required_blocks: 4,
        blocks_per_sm: limits.lowest(),
        warps_per_block: 8,
        max_warps_per_sm: 64,
        limits: Some(limits),
        register_budget: Some(64),
        registers: found,
    }
}

pub(crate) fn all() -> Vec<Case> {
    [launches(), capabilities(), of_registers(), static_smem(), others(), refusals(), clusters()]
        .into_iter()
        .flatten()
        .collect()
}

/// Block, cluster and dynamic shared memory against the spec.
fn launches() -> Vec<Case> {
    let case = |name| Case::new(name, device(A100), FunctionDouble::new(40), HALF);
    let hopper = |name, cluster: Option<[u32; 3]>| {
        let launch = with_cluster(Launch::new(256), cluster);
        Case::new(name, device(H100), FunctionDouble::new(40).with(6, 90), spec(SM_90, kernel(40), launch))
    };
    let cluster = |declared, launched| Mismatch::Cluster { declared, launched };
    vec![
        case("as checked").says(AS_CHECKED),
        case("another block")
            .launched(|launched| launched.block = [128, 2, 1])
            .finds(Error, Mismatch::Block { declared: [256, 1, 1], launched: [128, 2, 1] })
            .says(
                "launched with blocks of (128, 2); checked for blocks of 256
  = help: launch with the spec's block, or declare `block = (128, 2)`",
            ),
        case("other shared memory")
            .launched(|launched| launched.dynamic_smem = 1)
            .finds(Error, Mismatch::DynamicSmem { declared: 0, launched: 1 })
            .says(
                "launched with 1 byte of dynamic shared memory; checked for 0
  = help: launch with the spec's shared memory, or declare `dynamic_smem = 1`",
            ),
        hopper("a cluster where there is none", None)
            .launched(|launched| launched.cluster = Some([2, 1, 1]))
            .finds(Error, cluster(None, Some([2, 1, 1])))
            .says("launched with a cluster of 2; checked without a cluster\n  = help: declare `cluster = 2`"),
        hopper("another cluster", Some([2, 1, 1]))
            .launched(|launched| (launched.cluster, launched.grid) = (Some([2, 2, 1]), [2, 2, 1]))
            .finds(Error, cluster(Some([2, 1, 1]), Some([2, 2, 1])))
            .says(
                "launched with a cluster of (2, 2); checked with a cluster of 2\n  = help: declare `cluster = (2, 2)`",
            ),
        hopper("the cluster", Some([2, 1, 1])).says(AS_CHECKED),
    ]
}

/// The device's capability against the declared ones, and the requirement with the real one.
fn capabilities() -> Vec<Case> {
    // 1,024 threads, 32 registers: the header holds 2 blocks on 8.0, which is all of it, and 1 on 8.6, 32 of 48 warps.
    let large = |fraction| spec(SM_80, kernel(32), Launch::new(1024)).require(at_least(fraction));
    let capability = |declared, found| Mismatch::Capability { declared, found };
    let of_8_0 = |required_blocks, required| Mismatch::Occupancy {
        required: at_least(required),
        required_blocks,
        blocks_per_sm: 1,
        warps_per_block: 32,
        max_warps_per_sm: 48,
        limits: Some(limits([2, 100, 1, 16])),
        // 2 blocks of 32 warps share 65,536 registers.
        register_budget: Some(32),
        registers: 32,
    };
    // A capability of a later year: 64 warps.
    let unknown = || device(A100).with(75, 15).with(76, 0);
    vec![
        Case::new("another capability, kept", device(RTX_3090), FunctionDouble::new(32), large(0.6))
            .finds(Warning, capability(SM_80, [8, 6]))
            .says(
                "checked for sm_80; launched on sm_86
  = help: add `\"sm_86\"` to `arch` to check it at compile time",
            ),
        Case::new("another capability, missed", device(RTX_3090), FunctionDouble::new(32), large(0.75))
            .finds(Error, of_8_0(2, 0.75))
            .finds(Warning, capability(SM_80, [8, 6]))
            .says(
                "occupancy 66.7% is below the required 75%
  = note: the driver holds 1 block of 32 warps per SM, which has room for 48 warps
  = note: blocks per SM by resource: registers 2, shared memory 100, warps 1, blocks 16
  = note: checked for sm_80; launched on sm_86
  = help: add `\"sm_86\"` to `arch` to check it at compile time",
            ),
        Case::new("an unknown capability, kept", unknown(), FunctionDouble::new(168).always(4), HALF)
            .finds(Warning, registers(DeclaredRegisters::Exactly(40), 168))
            .finds(Warning, capability(SM_80, [15, 0]))
            .says(
                "the function has 168 registers per thread; 40 were declared
  = note: checked for sm_80; launched on sm_150, which the model does not know
  = help: declare `registers = 168`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses \
                 registers itself",
            ),
        Case::new("an unknown capability, missed", unknown(), FunctionDouble::new(40).always(3), HALF)
            .finds(
                Error,
                Mismatch::Occupancy {
                    required: at_least(0.5),
                    required_blocks: 4,
                    blocks_per_sm: 3,
                    warps_per_block: 8,
                    max_warps_per_sm: 64,
                    limits: None,
                    register_budget: None,
                    registers: 40,
                },
            )
            .finds(Warning, capability(SM_80, [15, 0]))
            .says(
                "occupancy 37.5% is below the required 50%
  = note: the driver holds 3 blocks of 8 warps per SM, which has room for 64 warps
  = note: checked for sm_80; launched on sm_150, which the model does not know",
            ),
        Case::new(
            "an unknown capability, undeclared registers",
            unknown(),
            FunctionDouble::new(255).always(4),
            spec(SM_80, Kernel::new(), Launch::new(256)).require(at_least(0.5)),
        )
        .finds(Warning, capability(SM_80, [15, 0]))
        .says("checked for sm_80; launched on sm_150, which the model does not know"),
    ]
}

const COMPILED: &[Compiled<'static>] = &[Compiled::new(Arch::SM_80, Kernel::new().registers(40), "k in k.cubin")];
const TWICE: &[Compiled<'static>] = &[
    Compiled::new(Arch::SM_80, Kernel::new().registers(40), "k in k.cubin"),
    Compiled::new(Arch::SM_86, Kernel::new().registers(32), "k in k.cubin"),
];
const SM_80_AND_86: &[Arch] = &[Arch::SM_80, Arch::SM_86];

/// Registers against the declared number, cap, ceiling, budget, and what was compiled.
fn of_registers() -> Vec<Case> {
    use DeclaredRegisters::{AtMost, Budget, Exactly};
    let case = |name, found, spec: LaunchSpec| {
        Case::new(name, device(A100), FunctionDouble::new(found), spec.require(at_least(0.5)))
    };
    let of_256 = |kernel| spec(SM_80, kernel, Launch::new(256));
    let capped = |registers| of_256(kernel(registers)).registers_are_cap();
    let compiled = || spec(SM_80_AND_86, Kernel::new(), Launch::new(256)).compiled(COMPILED);
    let ceiling = |registers| {
        let ceilings = Ceilings { registers: Some(registers), ..Ceilings::new() };
        occ_runtime::__private::spec_of_compiled(compiled(), COMPILED, ceilings)
    };
    let on_3090 = |name, binary, found, spec: LaunchSpec| {
        Case::new(name, device(RTX_3090), FunctionDouble::new(found).with(6, binary), spec)
    };
    let (of_65, of_168) = (limits([3, 164, 8, 32]), limits([1, 164, 8, 32]));
    vec![
        case("fewer registers", 24, of_256(kernel(40))).finds(Warning, registers(Exactly(40), 24)).says(
            "the function has 24 registers per thread; 40 were declared
  = help: declare `registers = 24`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers \
             itself",
        ),
        case("more registers, kept", 64, of_256(kernel(40))).finds(Warning, registers(Exactly(40), 64)).says(
            "the function has 64 registers per thread; 40 were declared
  = help: declare `registers = 64`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers \
             itself",
        ),
        case("more registers, missed", 65, of_256(kernel(40)))
            .finds(Error, misses_half(65, of_65))
            .finds(Error, registers(Exactly(40), 65))
            .says(
                "occupancy 37.5% is below the required 50%
  = note: the driver holds 3 blocks of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM by resource: registers 3, shared memory 164, warps 8, blocks 32
  = note: the function has 65 registers per thread; 40 were declared
  = help: compile the kernel with at most 64 registers per thread",
            ),
        case("below the cap", 24, capped(64)).says("as checked, 8 blocks per SM, occupancy 100.0%"),
        case("at the cap", 64, capped(64)).says("as checked, 4 blocks per SM, occupancy 50.0%"),
        case("above the cap, kept", 64, capped(40)).finds(Warning, registers(AtMost(40), 64)).says(
            "the function has 64 registers per thread; at most 40 were declared
  = help: compile the kernel with at most 40 registers per thread, or raise what is declared",
        ),
        case("above the cap, missed", 168, capped(40))
            .finds(Error, misses_half(168, of_168))
            .finds(Error, registers(AtMost(40), 168))
            .says(
                "occupancy 12.5% is below the required 50%
  = note: the driver holds 1 block of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM by resource: registers 1, shared memory 164, warps 8, blocks 32
  = note: the function has 168 registers per thread; at most 40 were declared
  = help: compile the kernel with at most 64 registers per thread",
            ),
        case("within the budget", 64, of_256(Kernel::new())).says("as checked, 4 blocks per SM, occupancy 50.0%"),
        case("above the budget", 65, of_256(Kernel::new()))
            .finds(Error, misses_half(65, of_65))
            .finds(Error, registers(Budget(64), 65))
            .says(
                "occupancy 37.5% is below the required 50%
  = note: the driver holds 3 blocks of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM by resource: registers 3, shared memory 164, warps 8, blocks 32
  = note: the function has 65 registers per thread; at most 64 meet the requirement
  = help: compile the kernel with at most 64 registers per thread",
            ),
        case("at the ceiling", 40, ceiling(40)).says(AS_CHECKED),
        case("above the ceiling", 64, ceiling(40))
            .finds(Error, registers(AtMost(40), 64))
            .finds(Warning, registers(Exactly(40), 64))
            .says(
                "the function has 64 registers per thread; at most 40 were declared
  = note: the function has 64 registers per thread; 40 were declared
  = help: compile the kernel with at most 40 registers per thread, or raise what is declared",
            ),
        case("as compiled for the device", 40, compiled()).says(AS_CHECKED),
        case("not as compiled for the device", 24, compiled()).finds(Warning, registers(Exactly(40), 24)).says(
            "the function has 24 registers per thread; 40 were declared
  = help: declare `registers = 24`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers \
             itself",
        ),
        on_3090("the code for 8.0 on 8.6", 80, 40, compiled()).says("as checked, 6 blocks per SM, occupancy 100.0%"),
        on_3090("not the code for 8.0 on 8.6", 80, 24, compiled()).finds(Warning, registers(Exactly(40), 24)).says(
            "the function has 24 registers per thread; 40 were declared
  = help: declare `registers = 24`, or name the compiled kernel with `cubin`; a driver that compiles PTX chooses registers \
             itself",
        ),
        on_3090("the code for 8.6 on 8.6", 86, 32, spec(SM_80_AND_86, Kernel::new(), Launch::new(256)).compiled(TWICE))
            .says("as checked, 6 blocks per SM, occupancy 100.0%"),
    ]
}

/// Static shared memory against the declared, and the 1 KiB that a driver's number may hold from 9.0 on.
fn static_smem() -> Vec<Case> {
    let found = |declared, found| Mismatch::StaticSmem { declared, found };
    let ampere = |name, bytes, answers: &[[u32; 3]], requirement| {
        let function = FunctionDouble::new(32).static_smem(bytes).listed(answers);
        Case::new(name, device(A100), function, spec(SM_80, kernel(32), Launch::new(256)).require(requirement))
    };
    // 32 registers, 76,800 bytes: 3 blocks with the 1,024 of the driver are 233,472, all that the SM has. 77,824 bytes: the
    // header holds 2.
    let hopper = |name, told: i32, blocks| {
        let launch = Launch::new(256).dynamic_smem(76_800);
        let function = FunctionDouble::new(32).with(1, told).with(6, 90).listed(&[[256, 76_800, blocks]]);
        Case::new(name, device(H100), function, spec(SM_90, kernel(32), launch))
    };
    vec![
        // The header: 20,992 bytes, 7 blocks; 55,978 bytes, 2 blocks.
        ampere("other static shared memory, kept", 20_992, &[[256, 0, 7]], at_least(0.5))
            .finds(Warning, found(0, 20_992))
            .says(
                "the function has 20992 bytes of static shared memory; 0 were declared
  = help: declare `static_smem = 20992`",
            ),
        ampere("other static shared memory, missed", 55_978, &[[256, 0, 2]], at_least(0.5))
            .finds(
                Error,
                Mismatch::Occupancy {
                    required: at_least(0.5),
                    required_blocks: 4,
                    blocks_per_sm: 2,
                    warps_per_block: 8,
                    max_warps_per_sm: 64,
                    limits: Some(limits([8, 2, 8, 32])),
                    register_budget: Some(64),
                    registers: 32,
                },
            )
            .finds(Error, found(0, 55_978))
            .says(
                "occupancy 25% is below the required 50%
  = note: the driver holds 2 blocks of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM by resource: registers 8, shared memory 2, warps 8, blocks 32
  = note: the function has 55978 bytes of static shared memory; 0 were declared",
            ),
        // On 8.0 the driver's number is the kernel's.
        ampere("1 KiB more on 8.0", 1024, &[[256, 0, 8]], at_least(0.5)).finds(Warning, found(0, 1024)).says(
            "the function has 1024 bytes of static shared memory; 0 were declared
  = help: declare `static_smem = 1024`",
        ),
        hopper("the driver's own 1 KiB on 9.0", 1024, 3).says("as checked, 3 blocks per SM, occupancy 37.5%"),
        hopper("1 KiB of the kernel's on 9.0", 1024, 2).finds(Warning, found(0, 1024)).says(
            "the function has 1024 bytes of static shared memory; 0 were declared
  = help: declare `static_smem = 1024`",
        ),
        hopper("no more on 9.0", 0, 3).says("as checked, 3 blocks per SM, occupancy 37.5%"),
    ]
}

/// Local memory, carve-out, the table, and the model.
fn others() -> Vec<Case> {
    let stack = Ceilings { max_stack: Some(16), ..Ceilings::new() };
    let compiled = spec(SM_80, Kernel::new(), Launch::new(256)).compiled(COMPILED);
    let stack = occ_runtime::__private::spec_of_compiled(compiled, COMPILED, stack);
    // The header, 32 registers and 20,992 bytes: 7 blocks with all of the shared memory, 4 with half of it.
    let carved = |percent| spec(SM_80, kernel(32), Launch::new(256).dynamic_smem(20_992).carveout(percent));
    let driver = |driver| FunctionDouble::new(40).always(driver);
    let limit = |attribute, table, driver| Mismatch::Limit(LimitDifference { attribute, table, driver });
    vec![
        Case::new("local memory at its ceiling", device(A100), FunctionDouble::new(40).with(3, 16), stack)
            .says(AS_CHECKED),
        Case::new("local memory above its ceiling", device(A100), FunctionDouble::new(40).with(3, 24), stack)
            .finds(Warning, Mismatch::Local { ceiling: 16, found: 24 })
            .says("the function has 24 bytes of local memory per thread; `max_stack` is 16"),
        Case::new("no carve-out yet", device(A100), FunctionDouble::new(32), carved(Carveout::PreferShared))
            .says("as checked, 7 blocks per SM, occupancy 87.5%"),
        Case::new(
            "the same carve-out",
            device(A100),
            FunctionDouble::new(32).with(9, 50),
            carved(Carveout::PreferEqual),
        )
        .says("as checked, 4 blocks per SM, occupancy 50.0%"),
        Case::new(
            "another carve-out",
            device(A100),
            FunctionDouble::new(32).with(9, 50),
            carved(Carveout::Percent(100)),
        )
        .finds(Warning, Mismatch::Carveout { declared: 100, found: 50 })
        .says(
            "the function prefers a carve-out of 50%; 100% was declared
  = help: declare `carveout = 50`, or leave it to the spec",
        ),
        Case::new("another table", device(A100).with(106, 24), FunctionDouble::new(40), HALF)
            .finds(Warning, limit(DeviceAttribute::MaxBlocksPerMultiprocessor, 32, 24))
            .says(
                "the driver reports 24 for `MaxBlocksPerMultiprocessor`; the model's table has 32
  = note: the driver's number is used
  = help: report this with the output of `Guard::report`",
            ),
        Case::new("more than the model says", device(A100), driver(7), HALF)
            .finds(Warning, Mismatch::BlocksPerSm { model: 6, driver: 7 })
            .says(
                "the driver reports 7 blocks per SM; the model computes 6
  = note: the driver's number is used
  = help: report this with the output of `Guard::report`",
            ),
        Case::new("fewer than the model says", device(A100), driver(5), HALF)
            .finds(Warning, Mismatch::BlocksPerSm { model: 6, driver: 5 })
            .says(
                "the driver reports 5 blocks per SM; the model computes 6
  = note: the driver's number is used
  = help: report this with the output of `Guard::report`",
            ),
        Case::new("fewer than the model says, missed", device(A100), driver(1), HALF)
            .finds(
                Error,
                Mismatch::Occupancy {
                    required: at_least(0.5),
                    required_blocks: 4,
                    blocks_per_sm: 1,
                    warps_per_block: 8,
                    max_warps_per_sm: 64,
                    limits: None,
                    register_budget: Some(64),
                    registers: 40,
                },
            )
            .finds(Warning, Mismatch::BlocksPerSm { model: 6, driver: 1 })
            .says(
                "occupancy 12.5% is below the required 50%
  = note: the driver holds 1 block of 8 warps per SM, which has room for 64 warps
  = note: the driver reports 1 block per SM; the model computes 6
  = help: report this with the output of `Guard::report`",
            ),
        Case::new("blocks where the model has none", device(A100), FunctionDouble::new(255).always(2), {
            spec(SM_80, Kernel::new(), Launch::new(384))
        })
        // 255 registers in 12 warps are 98,304; an SM has 65,536.
        .finds(Warning, Mismatch::BlocksPerSm { model: 0, driver: 2 })
        .says(
            "the driver reports 2 blocks per SM; the model computes 0
  = note: the driver's number is used
  = help: report this with the output of `Guard::report`",
        ),
    ]
}

/// Launches that cannot run.
fn refusals() -> Vec<Case> {
    let cannot = |refusal| Mismatch::CannotRun { refusal };
    let large = spec(SM_80, kernel(32), Launch::new(256).dynamic_smem(120 << 10));
    let capability = Mismatch::Capability { declared: SM_80, found: [8, 6] };
    vec![
        Case::new("too much shared memory", device(RTX_3090), FunctionDouble::new(32).listed(&[]), large)
            .finds(Error, cannot(Refusal::SharedMemory { bytes: 122_880, most: 101_376 }))
            .finds(Warning, capability)
            .says(
                "this launch cannot run: a block needs 122880 bytes of shared memory; the limit is 101376 \
                 (`CUDA_ERROR_INVALID_VALUE`, 1)
  = note: checked for sm_80; launched on sm_86
  = help: add `\"sm_86\"` to `arch` to check it at compile time",
            ),
        // The header, 1,024 threads: 64 registers, 1 block; 65: none.
        Case::new(
            "too many registers",
            device(A100),
            FunctionDouble::new(65),
            spec(SM_80, kernel(64), Launch::new(1024)),
        )
        .finds(Error, cannot(Refusal::RegistersPerBlock { registers: 65, warps: 32, needed: 32 * 2304, most: 65_536 }))
        .finds(Error, registers(DeclaredRegisters::Exactly(64), 65))
        .says(
            "this launch cannot run: 65 registers per thread in 32 warps need 73728 registers per block; the limit is 65536 \
                 (`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`, 701)
  = note: the function has 65 registers per thread; 64 were declared
  = help: launch a smaller block, or compile the kernel with `__launch_bounds__(1024)`",
        ),
        Case::new("threads of the function", device(A100), FunctionDouble::new(40).with(0, 128), HALF)
            .finds(Error, cannot(Refusal::KernelThreads { threads: 256, most: 128 }))
            .says(
                "this launch cannot run: the block has 256 threads; the kernel was compiled for at most 128 \
                 (`CUDA_ERROR_INVALID_VALUE`, 1)
  = help: launch blocks of at most 128 threads, or compile the kernel with `__launch_bounds__(256)`",
            ),
        Case::new("no block, and nobody knows why", device(A100), FunctionDouble::new(40).always(0), HALF)
            .finds(Error, Mismatch::NoBlock)
            .finds(Warning, Mismatch::BlocksPerSm { model: 6, driver: 0 })
            .says(
                "this launch cannot run: the driver reports 0 blocks per SM
  = note: the driver reports 0 blocks per SM; the model computes 6
  = help: report this with the output of `Guard::report`",
            ),
        Case::new(
            "no block of an unknown capability",
            device(A100).with(75, 15),
            FunctionDouble::new(40).always(0),
            HALF,
        )
        .finds(Error, Mismatch::NoBlock)
        .finds(Warning, Mismatch::Capability { declared: SM_80, found: [15, 0] })
        .says(
            "this launch cannot run: the driver reports 0 blocks per SM
  = note: checked for sm_80; launched on sm_150, which the model does not know",
        ),
    ]
}

/// Clusters that the kernel was compiled for, that are passed, that are not, and that do not fit.
fn clusters() -> Vec<Case> {
    let of = |cluster| spec(SM_90, kernel(40), with_cluster(Launch::new(256), cluster));
    let function = || FunctionDouble::new(40).with(6, 90);
    let cluster = |declared, launched| Mismatch::Cluster { declared, launched };
    let compiled = LaunchBounds::new().required_cluster([2, 1, 1]);
    let case = |name, function, spec: LaunchSpec| Case::new(name, device(H100), function, spec);
    let not_passed = |case: Case| case.launched(|launched| (launched.cluster, launched.grid) = (None, [16, 4, 4]));
    let older = || device(A100).without(&[97, 106, 111, 120]);
    let ampere = Case::new("clusters before 9.0", device(A100), function().clusters(Err(801)), of(Some([2, 1, 1])));
    // 9.0 has clusters of 16 blocks, 12.0 of 8.
    let blackwell = |name, clusters| {
        Case::new(name, device("GeForce RTX 5090"), function().clusters(clusters), of(Some([16, 1, 1])))
    };
    let capability = Mismatch::Capability { declared: SM_90, found: [12, 0] };
    vec![
        not_passed(case("compiled and declared", function().cluster([2, 1, 1]), of(Some([2, 1, 1])))).says(AS_CHECKED),
        not_passed(case("compiled, and read of the artifact", function().cluster([2, 1, 1]), {
            spec(SM_90, kernel(40).bounds(compiled), Launch::new(256))
        }))
        .says(AS_CHECKED),
        not_passed(case("compiled, not declared", function().cluster([2, 1, 1]), of(None)))
            .finds(Error, cluster(None, Some([2, 1, 1])))
            .says("launched with a cluster of 2; checked without a cluster\n  = help: declare `cluster = 2`"),
        not_passed(case("declared, not passed", function(), of(Some([2, 1, 1]))))
            .finds(Error, cluster(Some([2, 1, 1]), None))
            .says(
                "launched without a cluster; checked with a cluster of 2
  = help: `launch!` and cudarc's builder pass no cluster: compile the kernel with `__cluster_dims__`, or launch with \
                 `LaunchSpec::launch` of the feature `cust`",
            ),
        case("a cluster of one block", function(), of(Some([1, 1, 1]))).says(AS_CHECKED),
        not_passed(case("a cluster of one block, not passed", function(), of(Some([1, 1, 1])))).says(AS_CHECKED),
        case("not portable", function(), of(Some([16, 1, 1]))).says(AS_CHECKED),
        case("no cluster fits", function().clusters(Ok(0)), of(Some([16, 1, 1])))
            .finds(Error, Mismatch::NoCluster { cluster: [16, 1, 1] })
            .says("this launch cannot run: the device has no room for a cluster of 16"),
        case("the driver finds it too large", function().clusters(Err(912)), of(Some([16, 1, 1])))
            .finds(Error, Mismatch::NoCluster { cluster: [16, 1, 1] })
            .says("this launch cannot run: the device has no room for a cluster of 16"),
        case("a driver without the function", function().clusters(Err(500)), of(Some([2, 1, 1]))).says(AS_CHECKED),
        ampere
            .finds(Error, Mismatch::CannotRun { refusal: Refusal::NoClusters })
            .finds(Warning, Mismatch::Capability { declared: SM_90, found: [8, 0] })
            .says(
                "this launch cannot run: clusters require compute capability 9.0 or later
  = note: checked for sm_90; launched on sm_80
  = help: add `\"sm_80\"` to `arch` to check it at compile time",
            ),
        case_without_clusters("no clusters, says the driver", device(H100).with(120, 0), of(Some([2, 1, 1])))
            .finds(Error, Mismatch::NoCluster { cluster: [2, 1, 1] })
            .says("this launch cannot run: the device has no room for a cluster of 2"),
        case_without_clusters("one block where there are no clusters", device(H100).with(120, 0), of(Some([1, 1, 1])))
            .says(AS_CHECKED),
        blackwell("too large on another capability", Err(912))
            .finds(Error, Mismatch::CannotRun { refusal: Refusal::ClusterBlocks { blocks: 16, most: 8 } })
            .finds(Warning, capability.clone())
            .says(
                "this launch cannot run: the cluster has 16 blocks; the limit is 8 \
                 (`CUDA_ERROR_INVALID_CLUSTER_SIZE`, 912)
  = note: checked for sm_90; launched on sm_120
  = help: add `\"sm_120\"` to `arch` to check it at compile time",
            ),
        blackwell("not too large for the driver", Ok(4))
            .finds(Warning, capability)
            .finds(Warning, Mismatch::BlocksPerSm { model: 0, driver: 6 })
            .says(
                "checked for sm_90; launched on sm_120
  = note: the driver reports 6 blocks per SM; the model computes 0
  = help: add `\"sm_120\"` to `arch` to check it at compile time",
            ),
        Case::new("a driver of old", older(), FunctionDouble::new(40).without(&[8, 9, 10, 11, 12, 13, 14]), HALF)
            .says(AS_CHECKED),
    ]
}

/// A function of a device whose driver fails when it is asked about clusters.
fn case_without_clusters(name: &'static str, device: DeviceDouble, spec: LaunchSpec) -> Case {
    Case::new(name, device, FunctionDouble::new(40).with(6, 90).clusters(Err(801)), spec)
}

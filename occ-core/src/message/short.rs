//! A launch that runs but falls short: what it reaches, what limits it, and by what arithmetic.

use super::list::{Alike, Order, Which, count, list, named, names, occupancy_of, worst_first};
use super::requirement::missed;
use super::sentence::{NOTE, Sentence, Value};
use crate::arch::Arch;
use crate::block_limits::Resource;
use crate::carveout::Carveout;
use crate::check::Check;
use crate::evaluation::Evaluation;
use crate::occupancy::Occupancy;
use crate::requirement::{Argument, Requirement};
use crate::text::Text;

const BY_REGISTERS: Sentence<4> = Sentence::new("limited by registers: at {}{} per thread and {} per block, {}");
const BY_SHARED_MEMORY: Sentence<5> =
    Sentence::new("limited by shared memory: at {} bytes per block ({}) of the SM's {}{}, {}");
const BY_POOL: Sentence<4> = Sentence::new("limited by {}: at {} per block of the SM's {}, {}");
const BY_WARPS: Sentence<2> = Sentence::new("limited by warps: at {} per block, {}");
const BY_BLOCKS: Sentence<2> = Sentence::new("limited by blocks: an SM holds at most {}, so {}");
const FITTING: Sentence<5> = Sentence::new("{}{} ({} of {}) {} resident per SM");
/// The block limit of each resource.
pub const BY_RESOURCE: Sentence<1> = Sentence::new("blocks per SM by resource: {}");
const ON_ARCH: Sentence<4> = Sentence::new("{}: {}, limited by {} (blocks by resource: {})");
const BEYOND_ANY: Sentence<2> = Sentence::new("an SM of {} holds at most {}");
const PASSES: Sentence<1> = Sentence::new("it passes with occupancy {}");

pub(super) const fn short(text: &mut Text, evaluation: &Evaluation<'_>) {
    let first = first_missed(evaluation);
    misses(text, evaluation, first);
    let short = count(evaluation, Which::Short);
    if short == 1
        && let Some(arch) = evaluation.worst
        && let Some(occupancy) = occupancy_of(evaluation, arch, Which::Short)
    {
        causes(text, evaluation.check, arch, occupancy);
    } else {
        causes_by_arch(text, evaluation, short);
    }
    let mut index = 0;
    while index < evaluation.check.archs.len() {
        let arch = evaluation.check.archs[index];
        index += 1;
        let sm = arch.limits();
        if evaluation.check.asks_too_much(sm, first) {
            let most = match first {
                Argument::MinBlocksPerSm => Value::Count(sm.max_blocks_per_sm as u64, "block"),
                _ => Value::Count(sm.max_warps_per_sm as u64, "warp"),
            };
            BEYOND_ANY.write(text.str(NOTE), [Value::Name(arch.name()), most]);
        }
    }
    index = 0;
    while index < Requirement::OF_LAUNCH.len() {
        let other = Requirement::OF_LAUNCH[index];
        index += 1;
        if other as u8 != first as u8 && count(evaluation, Which::Missing(other)) > 0 {
            misses(text.str(NOTE), evaluation, other);
        }
    }
    passes(text, evaluation);
}

/// Appends where the launch passes, if it does anywhere.
pub(super) const fn passes(text: &mut Text, evaluation: &Evaluation<'_>) {
    if count(evaluation, Which::Passing) > 0 {
        let mut archs = Text::<512>::new();
        list(&mut archs, evaluation, Which::Passing, Argument::MinOccupancy);
        PASSES.write(text.str(NOTE), [Value::Name(archs.as_str())]);
    }
}

/// Appends that a requirement is missed, with each number that is reached.
const fn misses(text: &mut Text, evaluation: &Evaluation<'_>, argument: Argument) {
    let mut reached = Text::<512>::new();
    list(&mut reached, evaluation, Which::Missing(argument), argument);
    missed(text, &evaluation.check.requirement, argument, Value::Name(reached.as_str()));
}

/// Returns the first requirement that is missed anywhere.
pub(super) const fn first_missed(evaluation: &Evaluation<'_>) -> Argument {
    let mut index = 0;
    while index < Requirement::OF_LAUNCH.len() {
        if count(evaluation, Which::Missing(Requirement::OF_LAUNCH[index])) > 0 {
            return Requirement::OF_LAUNCH[index];
        }
        index += 1;
    }
    Argument::MinOccupancy
}

/// Appends one line for each of several capabilities, or for those with the same numbers: what fits, what limits it,
/// and every block limit.
const fn causes_by_arch(text: &mut Text, evaluation: &Evaluation<'_>, short: usize) {
    let most = named(usize::MAX);
    let mut listed = [false; Arch::COUNT];
    let mut lines = 0;
    let mut order = Order::new(worst_first(evaluation, short));
    while let Some(arch) = order.next(evaluation)
        && lines < most
    {
        let Some(occupancy) = occupancy_of(evaluation, arch, Which::Short) else {
            continue;
        };
        if listed[arch.index()] {
            continue;
        }
        let mut archs = Text::<64>::new();
        names(&mut archs, evaluation, Which::Short, Alike::Limits, arch, &mut listed);
        let mut fits = Text::<128>::new();
        fitting(&mut fits, occupancy);
        let limits = &occupancy.limits;
        let (archs, fits) = (Value::Name(archs.as_str()), Value::Name(fits.as_str()));
        ON_ARCH.write(text.str(NOTE), [archs, fits, Value::Limiters(limits), Value::Limits(limits)]);
        lines += 1;
    }
}

/// Appends what limits a launch on one capability, with its arithmetic and every block limit.
pub(super) const fn causes(text: &mut Text, check: &Check<'_>, arch: Arch, occupancy: &Occupancy) {
    let mut index = 0;
    while index < Resource::ALL.len() {
        let resource = Resource::ALL[index];
        index += 1;
        if occupancy.limits.is_limiter(resource) {
            cause(text.str(NOTE), check, arch, occupancy, resource);
        }
    }
    BY_RESOURCE.write(text.str(NOTE), [Value::Limits(&occupancy.limits)]);
}

const fn cause(text: &mut Text, check: &Check<'_>, arch: Arch, occupancy: &Occupancy, resource: Resource) {
    let sm = arch.limits();
    let kernel = check.kernel_on(arch);
    let mut fits = Text::<128>::new();
    fitting(&mut fits, occupancy);
    let fits = Value::Name(fits.as_str());
    let warps = Value::Count(occupancy.warps_per_block as u64, "warp");
    match resource {
        Resource::Registers => {
            let cap = if check.registers_are_cap && check.compiled.is_empty() { "up to " } else { "" };
            let registers = Value::Number(number(kernel.registers));
            BY_REGISTERS.write(text, [Value::Name(cap), registers, warps, fits]);
        }
        Resource::SharedMemory => {
            let mut parts = Text::<128>::new();
            let sum = smem_parts(
                &mut parts,
                [
                    (kernel.static_smem, " static"),
                    (check.launch.dynamic_smem, " dynamic"),
                    (sm.smem_reserved_per_block, " reserved by the driver"),
                ],
            );
            parts.str(if sum == occupancy.smem_per_block { "" } else { ", rounded up" });
            let preferred =
                !matches!(check.launch.carveout, Carveout::Default) && occupancy.smem_per_sm < sm.smem_per_sm;
            let values = [
                Value::Number(occupancy.smem_per_block as u64),
                Value::Name(parts.as_str()),
                Value::Number(occupancy.smem_per_sm as u64),
                Value::Name(if preferred { " with this carve-out" } else { "" }),
                fits,
            ];
            BY_SHARED_MEMORY.write(text, values);
        }
        Resource::Barriers => {
            let pool = Value::Number(number(sm.barriers_per_sm));
            BY_POOL.write(text, [Value::Name(resource.name()), Value::Number(kernel.barriers as u64), pool, fits]);
        }
        Resource::VirtualResources => {
            let pool = Value::Number(number(sm.virtual_resources_per_sm));
            let each = Value::Number(kernel.virtual_resources as u64);
            BY_POOL.write(text, [Value::Name(resource.name()), each, pool, fits]);
        }
        Resource::Warps => BY_WARPS.write(text, [Value::Number(occupancy.warps_per_block as u64), fits]),
        Resource::Blocks => BY_BLOCKS.write(text, [Value::Number(sm.max_blocks_per_sm as u64), fits]),
    }
}

const fn number(value: Option<u32>) -> u64 {
    match value {
        Some(value) => value as u64,
        None => 0,
    }
}

/// Appends `65536 dynamic + 1024 reserved by the driver`, and returns the sum.
const fn smem_parts<const N: usize>(text: &mut Text<N>, parts: [(u32, &str); 3]) -> u32 {
    let mut index = 0;
    let mut sum = 0;
    while index < parts.len() {
        let (bytes, name) = parts[index];
        index += 1;
        if bytes > 0 {
            text.str(if sum == 0 { "" } else { " + " }).num(bytes as u64).str(name);
        }
        sum += bytes;
    }
    sum
}

/// Appends `only 2 blocks (16 of 64 warps) are resident per SM`; without `only` where no more warps fit.
const fn fitting<const N: usize>(text: &mut Text<N>, occupancy: &Occupancy) {
    let is_full = occupancy.warps_per_sm() == occupancy.max_warps_per_sm;
    let values = [
        Value::Name(if is_full { "" } else { "only " }),
        Value::Count(occupancy.blocks_per_sm as u64, "block"),
        Value::Number(occupancy.warps_per_sm() as u64),
        Value::Count(occupancy.max_warps_per_sm as u64, "warp"),
        Value::Name(if occupancy.blocks_per_sm == 1 { "is" } else { "are" }),
    ];
    FITTING.write(text, values);
}

//! What a check says when it fails: one wording for the macro, for constants and for run time.
//!
//! The first line says what fails, with both numbers. The lines after it start with `= note: ` (the cause, with its
//! arithmetic) and `= help: ` (what to write; every value in a help has been tried).

use crate::advice::{Change, common_blocks_per_sm};
use crate::arch::Arch;
use crate::check::{Argument, Check, Rule};
use crate::grid::Waves;
use crate::launch::Carveout;
use crate::occupancy::{Occupancy, Resource};
use crate::refusal::Refusal;
use crate::text::Text;
use crate::warps::lane_efficiency;

const NOTE: &str = "\n= note: ";
const HELP: &str = "\n= help: ";

/// Archs named one by one in a line; the rest are counted.
const NAMED: usize = 4;

pub(crate) const fn explain(check: &Check<'_>, rule: Rule) -> Text {
    let mut text = Text::new();
    if check.verdict(rule).passes() {
        return text;
    }
    match rule {
        Rule::Launch => match check.out_of_range() {
            Some(argument) => out_of_range(&mut text, check, argument),
            None => match first_refusal(check) {
                Some((arch, refusal)) => refused(&mut text, check, arch, &refusal),
                None => falls_short(&mut text, check),
            },
        },
        Rule::LaneEfficiency => lanes(&mut text, check),
        Rule::Waves | Rule::TailIdle => grid(&mut text, check, rule),
    }
    let mut at = 0;
    while at < check.notes.len() {
        text.str(NOTE).str(check.notes[at]);
        at += 1;
    }
    help(&mut text, check, rule);
    text
}

/// A value that is wrong on every device.
const fn out_of_range(text: &mut Text, check: &Check<'_>, argument: Argument) {
    match argument {
        Argument::StaticSmem => {
            text.str("`static_smem` is ")
                .num(check.kernel.static_smem as u64)
                .str(" bytes, a kernel can declare at most ");
            text.num(Check::MAX_STATIC_SMEM as u64).str(HELP);
            text.str("make the rest dynamic shared memory: `dynamic_smem` may be larger");
        }
        Argument::Arch => {
            text.str("no compute capability is declared, so nothing was checked");
        }
        Argument::MinOccupancy => not_a_fraction(text, "min_occupancy", check.requirement.min_occupancy),
        Argument::MinLaneEfficiency => {
            not_a_fraction(text, "min_lane_efficiency", check.requirement.min_lane_efficiency);
        }
        Argument::MaxTailIdle => not_a_fraction(text, "max_tail_idle", check.requirement.max_tail_idle),
        Argument::Carveout => {
            text.str("`carveout` must be a percentage from 0 to 100");
            if let Carveout::Percent(percent) = check.launch.carveout {
                text.str(if percent == u8::MAX { ", it is at least " } else { ", it is " }).num(percent as u64);
            }
        }
        _ => {
            text.str("`min_waves` must be a number from 0 to ").num(Check::MAX_WAVES as u64).str(", it is ");
            signed(text, check.requirement.min_waves);
        }
    }
}

const fn not_a_fraction(text: &mut Text, name: &str, value: Option<f64>) {
    text.str("`").str(name).str("` must be a fraction from 0.0 to 1.0, it is ");
    signed(text, value);
}

/// Any number there is, if only roughly.
const fn signed(text: &mut Text, value: Option<f64>) {
    match value {
        Some(value) if value.is_nan() => text.str("NaN"),
        Some(value) if value < 0.0 => text.str("-").decimal(-value, 4),
        Some(value) if value > 1e15 => text.str("more than 1000000000000000"),
        Some(value) => text.decimal(value, 4),
        None => text,
    };
}

const fn first_refusal(check: &Check<'_>) -> Option<(Arch, Refusal)> {
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(refusal) = check.on(check.archs[at]) {
            return Some((check.archs[at], refusal));
        }
        at += 1;
    }
    None
}

const fn refused(text: &mut Text, check: &Check<'_>, arch: Arch, refusal: &Refusal) {
    text.str("this launch cannot run on ").str(arch.name());
    alike(text, check, refusal);
    text.str(": ");
    refusal.write(text);
    if let Some(error) = refusal.cuda_error() {
        text.str(NOTE).str("the driver would return `").str(error.name).str("` (").num(error.code as u64).str(")");
    }
    if let Refusal::RegistersPerBlock { registers, warps, needed, .. } = *refusal {
        why_rounded(text, check, arch, registers, warps, needed);
    }
    // Another capability may refuse for another reason or with another number.
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(other) = check.on(check.archs[at])
            && !same(&other, refusal)
        {
            text.str(NOTE).str("nor on ").str(check.archs[at].name()).str(": ");
            other.write(text);
        }
        at += 1;
    }
    if any(check, Standing::Short) {
        text.str(NOTE).str("it runs, but falls short, on ");
        list(text, check, Standing::Short, true);
    }
    if any(check, Standing::Passes) {
        text.str(NOTE).str("it passes on ");
        list(text, check, Standing::Passes, true);
    }
}

/// ` and 3 more`: the other capabilities that refuse a launch in the same words.
const fn alike(text: &mut Text, check: &Check<'_>, refusal: &Refusal) {
    let mut all = 0;
    let mut at = 0;
    while at < check.archs.len() {
        if let Err(other) = check.on(check.archs[at])
            && same(&other, refusal)
        {
            all += 1;
        }
        at += 1;
    }
    let named = if all > NAMED + 1 { NAMED } else { all };
    let mut done = 0;
    at = 0;
    while at < check.archs.len() && done < named {
        if let Err(other) = check.on(check.archs[at])
            && same(&other, refusal)
        {
            // The first has been named.
            if done > 0 {
                separate(text, done, all);
                text.str(check.archs[at].name());
            }
            done += 1;
        }
        at += 1;
    }
    if named < all {
        text.str(" and ").num((all - named) as u64).str(" more");
    }
}

/// Why the registers of a block are more than registers × threads: people compute the plain product.
const fn why_rounded(text: &mut Text, check: &Check<'_>, arch: Arch, registers: u32, warps: u32, needed: u64) {
    let sm = arch.limits();
    let plain = registers as u64 * check.launch.threads() as u64;
    if plain == needed {
        return;
    }
    let per_warp = crate::occupancy::registers_per_warp(sm, registers);
    let counted = warps.next_multiple_of(sm.launch_sub_partitions.get());
    text.str(NOTE)
        .num(registers as u64)
        .str(" × 32 threads round up to ")
        .num(per_warp as u64)
        .str(" registers a warp");
    if counted != warps {
        text.str(", and ").num(warps as u64).str(if warps == 1 { " warp counts as " } else { " warps count as " });
        text.num(counted as u64).str(" over the ").num(sm.launch_sub_partitions.get() as u64).str(" sub-partitions");
    }
}

const fn same(a: &Refusal, b: &Refusal) -> bool {
    let (mut left, mut right) = (Text::new(), Text::new());
    a.write(&mut left);
    b.write(&mut right);
    let (left, right) = (left.as_str().as_bytes(), right.as_str().as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// How a launch stands on one capability.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Refused,
    Short,
    Passes,
}

const fn standing(check: &Check<'_>, arch: Arch) -> Standing {
    match check.on(arch) {
        Err(_) => Standing::Refused,
        Ok(answer) => {
            if answer.blocks_per_sm < check.requirement.blocks_per_sm(arch.limits(), answer.warps_per_block) {
                Standing::Short
            } else {
                Standing::Passes
            }
        }
    }
}

const fn is(standing: Standing, other: Standing) -> bool {
    standing as u8 == other as u8
}

const fn count(check: &Check<'_>, wanted: Standing) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < check.archs.len() {
        if is(standing(check, check.archs[at]), wanted) {
            count += 1;
        }
        at += 1;
    }
    count
}

const fn any(check: &Check<'_>, wanted: Standing) -> bool {
    count(check, wanted) > 0
}

/// `sm_80, sm_86 and 3 more`, each with its occupancy if asked.
const fn list(text: &mut Text, check: &Check<'_>, wanted: Standing, with_occupancy: bool) {
    let all = count(check, wanted);
    let named = if all > NAMED + 1 { NAMED } else { all };
    let mut done = 0;
    let mut at = 0;
    while at < check.archs.len() && done < named {
        let arch = check.archs[at];
        if is(standing(check, arch), wanted) {
            separate(text, done, all);
            text.str(arch.name());
            if with_occupancy && let Ok(answer) = check.on(arch) {
                text.str(" (").percent(answer.fraction(), 1).str(")");
            }
            done += 1;
        }
        at += 1;
    }
    if named < all {
        text.str(" and ").num((all - named) as u64).str(" more");
    }
}

/// What stands before item `done` of `all`: nothing, a comma, or `and` before the last.
const fn separate(text: &mut Text, done: usize, all: usize) {
    if done == 0 {
    } else if done + 1 == all {
        text.str(" and ");
    } else {
        text.str(", ");
    }
}

const fn falls_short(text: &mut Text, check: &Check<'_>) {
    // The requirement the first line names: the first that is missed anywhere.
    let requirement = first_unmet(check);
    match requirement {
        Argument::MinOccupancy => text.str("occupancy "),
        Argument::MinBlocksPerSm => text.str("blocks per SM: "),
        _ => text.str("warps per SM: "),
    };
    let mut all = 0;
    let mut at = 0;
    while at < check.archs.len() {
        if let Some(answer) = short_on(check, check.archs[at])
            && misses(check, requirement, check.archs[at], &answer)
        {
            all += 1;
        }
        at += 1;
    }
    let named = if all > NAMED + 1 { NAMED } else { all };
    let mut done = 0;
    at = 0;
    while at < check.archs.len() && done < named {
        let arch = check.archs[at];
        if let Some(answer) = short_on(check, arch)
            && misses(check, requirement, arch, &answer)
        {
            separate(text, done, all);
            reached(text, check, requirement, &answer);
            text.str(" on ").str(arch.name());
            done += 1;
        }
        at += 1;
    }
    if named < all {
        text.str(" and on ").num((all - named) as u64).str(" more");
    }
    text.str(if named == 1 { " is below the required " } else { " are below the required " });
    required(text, check, requirement);

    match count(check, Standing::Short) {
        1 => one_cause(text, check),
        short => causes_by_arch(text, check, if short > NAMED + 1 { NAMED } else { short }),
    }
    other_requirements(text, check, requirement);
    if any(check, Standing::Passes) {
        text.str(NOTE).str("it passes on ");
        list(text, check, Standing::Passes, true);
    }
}

/// The cause on the only capability that falls short, with its arithmetic.
const fn one_cause(text: &mut Text, check: &Check<'_>) {
    let mut at = 0;
    while at < check.archs.len() {
        let arch = check.archs[at];
        at += 1;
        if let Some(answer) = short_on(check, arch) {
            causes(text, check, arch, &answer);
            text.str(NOTE).str("blocks per SM each resource allows: ");
            table(text, &answer);
        }
    }
}

/// One line for each of several capabilities: what fits there, what limits it, and every block limit.
const fn causes_by_arch(text: &mut Text, check: &Check<'_>, named: usize) {
    let mut done = 0;
    let mut at = 0;
    while at < check.archs.len() && done < named {
        let arch = check.archs[at];
        at += 1;
        let Some(answer) = short_on(check, arch) else {
            continue;
        };
        done += 1;
        text.str(NOTE).str(arch.name()).str(": ");
        fitting(text, &answer);
        text.str(", limited by ");
        let mut which = 0;
        let mut first = true;
        while which < Resource::ALL.len() {
            if answer.limits.is_limiter(Resource::ALL[which]) {
                text.str(if first { "" } else { " and " }).str(Resource::ALL[which].name());
                first = false;
            }
            which += 1;
        }
        text.str(" (blocks each allows: ");
        table(text, &answer);
        text.str(")");
    }
}

/// The answer on `arch`, if it runs there and falls short.
const fn short_on(check: &Check<'_>, arch: Arch) -> Option<Occupancy> {
    match (standing(check, arch), check.on(arch)) {
        (Standing::Short, Ok(answer)) => Some(answer),
        _ => None,
    }
}

const fn first_unmet(check: &Check<'_>) -> Argument {
    let mut which = 0;
    while which < OF_OCCUPANCY.len() {
        let mut at = 0;
        while at < check.archs.len() {
            if let Some(answer) = short_on(check, check.archs[at])
                && misses(check, OF_OCCUPANCY[which], check.archs[at], &answer)
            {
                return OF_OCCUPANCY[which];
            }
            at += 1;
        }
        which += 1;
    }
    Argument::MinOccupancy
}

/// The requirements on occupancy, in the order they are told.
const OF_OCCUPANCY: [Argument; 3] = [Argument::MinOccupancy, Argument::MinBlocksPerSm, Argument::MinWarpsPerSm];

/// The number an answer reaches of a requirement.
const fn reached(text: &mut Text, check: &Check<'_>, requirement: Argument, answer: &Occupancy) {
    match requirement {
        Argument::MinOccupancy => {
            let required = match check.requirement.min_occupancy {
                Some(required) => required,
                None => 0.0,
            };
            below(text, answer.fraction() * 100.0, required * 100.0).str("%")
        }
        Argument::MinBlocksPerSm => text.num(answer.blocks_per_sm as u64),
        _ => text.num(answer.warps_per_sm() as u64),
    };
}

/// The number that is required.
const fn required(text: &mut Text, check: &Check<'_>, requirement: Argument) {
    let requirements = &check.requirement;
    match (requirement, requirements.min_occupancy, requirements.min_blocks_per_sm, requirements.min_warps_per_sm) {
        (Argument::MinOccupancy, Some(fraction), _, _) => above(text, fraction * 100.0).str("%"),
        (Argument::MinBlocksPerSm, _, Some(blocks), _) => text.num(blocks as u64),
        (Argument::MinWarpsPerSm, _, _, Some(warps)) => text.num(warps as u64),
        _ => text,
    };
}

/// Requirements other than the one of the first line that are missed too.
const fn other_requirements(text: &mut Text, check: &Check<'_>, first: Argument) {
    let mut which = 0;
    while which < OF_OCCUPANCY.len() {
        let requirement = OF_OCCUPANCY[which];
        which += 1;
        if requirement as u8 == first as u8 {
            continue;
        }
        let mut at = 0;
        while at < check.archs.len() {
            if let Some(answer) = short_on(check, check.archs[at])
                && misses(check, requirement, check.archs[at], &answer)
            {
                text.str(NOTE).str("also below the required ");
                required(text, check, requirement);
                text.str(match requirement {
                    Argument::MinOccupancy => " occupancy: ",
                    Argument::MinBlocksPerSm => " blocks per SM: ",
                    _ => " warps per SM: ",
                });
                reached(text, check, requirement, &answer);
                text.str(" on ").str(check.archs[at].name());
                break;
            }
            at += 1;
        }
    }
}

const fn misses(check: &Check<'_>, requirement: Argument, arch: Arch, answer: &Occupancy) -> bool {
    let one = crate::check::Requirement {
        min_occupancy: match requirement {
            Argument::MinOccupancy => check.requirement.min_occupancy,
            _ => None,
        },
        min_blocks_per_sm: match requirement {
            Argument::MinBlocksPerSm => check.requirement.min_blocks_per_sm,
            _ => None,
        },
        min_warps_per_sm: match requirement {
            Argument::MinWarpsPerSm => check.requirement.min_warps_per_sm,
            _ => None,
        },
        ..crate::check::Requirement::new()
    };
    answer.blocks_per_sm < one.blocks_per_sm(arch.limits(), answer.warps_per_block)
}

/// One note a limiting resource: what a block takes of it, and so how many fit.
const fn causes(text: &mut Text, check: &Check<'_>, arch: Arch, answer: &Occupancy) {
    let mut at = 0;
    let mut first = true;
    while at < Resource::ALL.len() {
        let resource = Resource::ALL[at];
        at += 1;
        if !answer.limits.is_limiter(resource) {
            continue;
        }
        text.str(NOTE).str(if first { "limited by " } else { "and by " }).str(resource.name()).str(": ");
        first = false;
        cause(text, check, arch, answer, resource);
    }
}

const fn cause(text: &mut Text, check: &Check<'_>, arch: Arch, answer: &Occupancy, resource: Resource) {
    let sm = arch.limits();
    let warps = answer.warps_per_block;
    match resource {
        Resource::Registers => {
            let registers = match check.kernel.registers {
                Some(registers) => registers,
                None => 0,
            };
            text.str(if check.registers_are_cap { "up to " } else { "" });
            text.num(registers as u64).str(" per thread, ");
            count_of(text, warps, "warp").str(" a block, so ");
        }
        Resource::SharedMemory => {
            text.num(answer.smem_per_block as u64).str(" bytes a block (");
            let parts: [(u32, &str); 3] = [
                (check.kernel.static_smem, " static"),
                (check.launch.dynamic_smem, " dynamic"),
                (sm.smem_reserved_per_block, " reserved by the driver"),
            ];
            let mut at = 0;
            let mut sum = 0;
            let mut first = true;
            while at < parts.len() {
                let (bytes, name) = parts[at];
                at += 1;
                sum += bytes;
                if bytes > 0 {
                    text.str(if first { "" } else { " + " }).num(bytes as u64).str(name);
                    first = false;
                }
            }
            text.str(if sum == answer.smem_per_block { ")" } else { ", rounded up)" });
            text.str(" of ").num(answer.smem_per_sm as u64);
            let preferred = !matches!(check.launch.carveout, Carveout::Default) && answer.smem_per_sm < sm.smem_per_sm;
            text.str(if preferred { " with this carve-out, so " } else { ", so " });
        }
        Resource::Barriers => {
            text.num(check.kernel.barriers as u64).str(" a block, of the SM's ");
            text.num(match sm.barriers_per_sm {
                Some(pool) => pool as u64,
                None => 0,
            });
            text.str(", so ");
        }
        Resource::VirtualResources => {
            text.num(check.kernel.virtual_resources as u64).str(" a block, of the SM's ");
            text.num(match sm.virtual_resources_per_sm {
                Some(pool) => pool as u64,
                None => 0,
            });
            text.str(", so ");
        }
        Resource::Warps => {
            count_of(text, warps, "warp").str(" a block, so ");
        }
        Resource::Blocks => {
            text.str("an SM holds at most ").num(sm.max_blocks_per_sm as u64).str(", so ");
        }
    }
    fitting(text, answer);
}

/// `2 blocks of 8 warps fit where 64 warps could`.
const fn fitting(text: &mut Text, answer: &Occupancy) {
    let blocks = answer.blocks_per_sm;
    count_of(text, blocks, "block").str(" of ");
    count_of(text, answer.warps_per_block, "warp").str(if blocks == 1 { " fits" } else { " fit" });
    text.str(" where ").num(answer.max_warps_per_sm as u64).str(" warps could");
}

/// `1 block`, `2 blocks`.
const fn count_of<'t>(text: &'t mut Text, count: u32, noun: &str) -> &'t mut Text {
    text.num(count as u64).str(" ").str(noun).str(if count == 1 { "" } else { "s" })
}

/// `registers 1, shared memory 164, warps 8, blocks 32`.
const fn table(text: &mut Text, answer: &Occupancy) {
    let mut at = 0;
    let mut first = true;
    while at < Resource::ALL.len() {
        let resource = Resource::ALL[at];
        at += 1;
        if let Some(limit) = answer.limits.of(resource) {
            text.str(if first { "" } else { ", " }).str(resource.name()).str(" ").num(limit as u64);
            first = false;
        }
    }
}

const fn lanes(text: &mut Text, check: &Check<'_>) {
    let threads = check.launch.threads();
    let required = match check.requirement.min_lane_efficiency {
        Some(required) => required,
        None => 0.0,
    };
    let reached = lane_efficiency(threads);
    below(text.str("lane efficiency "), reached * 100.0, required * 100.0);
    above(text.str("% is below the required "), required * 100.0).str("%").str(NOTE);
    let warps = threads.div_ceil(32);
    text.str("a block of ");
    count_of(text, threads, "thread").str(" takes ");
    count_of(text, warps, "warp").str(" of 32 lanes, so ").num((warps * 32 - threads) as u64);
    text.str(" of ").num(warps as u64 * 32).str(" lanes never have work");
}

const fn grid(text: &mut Text, check: &Check<'_>, rule: Rule) {
    if !check.has_grid() {
        text.str(if matches!(rule, Rule::Waves) { "`min_waves`" } else { "`max_tail_idle`" });
        text.str(" needs a grid and a GPU").str(NOTE);
        text.str("waves are counted over the SMs of a GPU, which no compute capability tells");
        return;
    }
    let Some((at, waves)) = check.first_short_grid(rule) else {
        return;
    };
    let gpu = check.gpus[at];
    match (rule, check.requirement.min_waves, check.requirement.max_tail_idle) {
        (Rule::Waves, Some(required), _) => {
            text.str("the grid makes ");
            below(text, waves.exact(), required).str(if waves.blocks() == waves.slots() {
                " wave on "
            } else {
                " waves on "
            });
            above(text.str(gpu.name).str(", below the required "), required);
        }
        (_, _, Some(allowed)) => {
            // More than allowed is less than allowed of what is left.
            let idle = waves.tail_idle();
            above_bound(text, idle * 100.0, allowed * 100.0).str("% of the last wave is idle on ").str(gpu.name);
            within(text.str(", above the allowed "), allowed * 100.0).str("%");
        }
        _ => {}
    }
    text.str(NOTE);
    in_slots(text, &waves);
}

/// `2000 blocks over 640 slots (80 SMs × 8 blocks): 3 full waves and a tail of 80 blocks`.
const fn in_slots(text: &mut Text, waves: &Waves) {
    text.num(waves.blocks()).str(if waves.blocks() == 1 { " block over " } else { " blocks over " });
    text.num(waves.slots()).str(" slots (").num(waves.sm_count() as u64).str(" SMs × ");
    count_of(text, waves.blocks_per_sm(), "block").str("): ");
    text.num(waves.full()).str(if waves.full() == 1 { " full wave" } else { " full waves" });
    let tail = waves.tail_blocks();
    if tail > 0 {
        text.str(" and a tail of ").num(tail).str(if tail == 1 { " block" } else { " blocks" });
    }
}

const fn help(text: &mut Text, check: &Check<'_>, rule: Rule) {
    if check.out_of_range().is_some() {
        return;
    }
    let changes = check.advice(rule).changes();
    let mut at = 0;
    while at < changes.len() {
        if let Some(change) = changes[at] {
            text.str(HELP);
            one_help(text, check, rule, change);
        }
        at += 1;
    }
    if changes[0].is_none() && matches!(rule, Rule::Launch) {
        text.str(HELP).str("no single change was found that is enough: change several arguments, or what is required");
    }
}

const fn one_help(text: &mut Text, check: &Check<'_>, rule: Rule, change: Change) {
    match change {
        Change::Registers(registers) => {
            text.str("with `").str(if check.registers_are_cap { "max_registers" } else { "registers" });
            text.str("` at most ").num(registers as u64);
        }
        Change::StaticSmem(0) => {
            text.str("without static shared memory");
        }
        Change::DynamicSmem(0) => {
            text.str("without dynamic shared memory");
        }
        Change::DynamicSmem(bytes) => {
            text.str("with `dynamic_smem` at most ").num(bytes as u64);
        }
        Change::StaticSmem(bytes) => {
            text.str("with `static_smem` at most ").num(bytes as u64);
        }
        Change::Barriers(barriers) => {
            text.str("with `barriers` at most ").num(barriers as u64);
        }
        Change::NoCarveout => {
            text.str("without `carveout`");
        }
        Change::NoCluster => {
            text.str("without `cluster`");
        }
        Change::Block(axes) => {
            text.str("with `block = ").axes(axes).str("`");
        }
        Change::Grid(axes) => {
            text.str("with `grid = ").axes(axes).str("`");
        }
        Change::MinOccupancy(fraction) => {
            text.str("no other single change was found; `min_occupancy = ").decimal(fraction, 4);
            text.str("` is what this launch reaches");
            return;
        }
    }
    outcome(text, check, rule);
    if let (Change::Registers(registers), Some(blocks)) = (change, common_blocks_per_sm(check)) {
        text.str(" (compile the kernel with ");
        if check.registers_are_cap {
            text.str("`-maxrregcount=").num(registers as u64).str("`)");
        } else {
            text.str("`__launch_bounds__(").num(check.launch.threads() as u64);
            if blocks > 1 {
                text.str(", ").num(blocks as u64);
            }
            text.str(")`)");
        }
    }
}

/// What a change brings.
const fn outcome(text: &mut Text, check: &Check<'_>, rule: Rule) {
    match rule {
        Rule::Launch => {
            if check.refused() {
                text.str(" it can run");
                if check.archs.len() > 1 {
                    text.str(" on all of them");
                }
                return;
            }
            text.str(" it reaches ");
            let requirements = &check.requirement;
            let several = requirements.min_occupancy.is_some() as u8
                + requirements.min_blocks_per_sm.is_some() as u8
                + requirements.min_warps_per_sm.is_some() as u8
                > 1;
            if several {
                text.str("all that is required");
                if check.archs.len() > 1 {
                    text.str(" on all of them");
                }
                return;
            }
            let requirement = first_unmet(check);
            required(text, check, requirement);
            match requirement {
                Argument::MinBlocksPerSm => text.str(" blocks per SM"),
                Argument::MinWarpsPerSm => text.str(" warps per SM"),
                _ => text,
            };
            if check.archs.len() > 1 {
                text.str(" on all of them");
            }
        }
        Rule::LaneEfficiency => {
            text.str(" it is reached");
        }
        Rule::Waves => {
            text.str(" there are enough waves");
        }
        Rule::TailIdle => {
            text.str(" the last wave is full enough");
        }
    }
}

// Numbers that miss each other narrowly must not look equal. A number below what is required is rounded to the fewest
// decimals that still show it below; at nine decimals it is rounded down and the other one up.

const FINEST: u32 = 9;

/// A number that is less than `required`, as it shows that.
const fn below(text: &mut Text, value: f64, required: f64) -> &mut Text {
    let mut decimals = if value < 1.0 { 4 } else { 1 };
    while decimals < FINEST && rounded(value, decimals) >= rounded(required, decimals) {
        decimals += 1;
    }
    if decimals == FINEST { text.decimal(value, FINEST) } else { exactly(text, rounded(value, decimals), decimals) }
}

/// A number that is required, with every decimal it has up to nine.
const fn above(text: &mut Text, required: f64) -> &mut Text {
    let nearest = rounded(required, FINEST);
    let up = if nearest < required { nearest + 1e-9 } else { nearest };
    exactly(text, up, FINEST)
}

/// A number that is more than `allowed`, as it shows that.
const fn above_bound(text: &mut Text, value: f64, allowed: f64) -> &mut Text {
    let mut decimals = 1;
    while decimals < FINEST && rounded(value, decimals) <= rounded(allowed, decimals) {
        decimals += 1;
    }
    if decimals == FINEST { above(text, value) } else { exactly(text, rounded(value, decimals), decimals) }
}

/// A number that is allowed, with every decimal it has up to nine.
const fn within(text: &mut Text, allowed: f64) -> &mut Text {
    text.decimal(allowed, FINEST)
}

/// A number that has no more than so many decimals, in spite of what a binary fraction makes of it.
const fn exactly(text: &mut Text, value: f64, decimals: u32) -> &mut Text {
    text.decimal(value + 0.25 / power_of_ten(decimals), decimals)
}

/// The nearest number with so many decimals.
const fn rounded(value: f64, decimals: u32) -> f64 {
    let scale = power_of_ten(decimals);
    (value * scale + 0.5) as u64 as f64 / scale
}

const fn power_of_ten(exponent: u32) -> f64 {
    let mut power = 1.0;
    let mut at = 0;
    while at < exponent {
        power *= 10.0;
        at += 1;
    }
    power
}

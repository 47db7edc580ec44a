//! A launch that runs but falls short: what it reaches, what limits it, and by what arithmetic.

use super::NOTE;
use super::numbers::{above, below};
use super::standing::{NAMED, Standing, any, count, list, separate, standing};
use crate::arch::Arch;
use crate::block_limits::Resource;
use crate::carveout::Carveout;
use crate::check::Check;
use crate::occupancy::Occupancy;
use crate::requirement::{Argument, Requirement};
use crate::text::Text;

pub(super) const fn falls_short(text: &mut Text, check: &Check<'_>) {
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
    let mut order = Order::new(check, named < all);
    while let Some(arch) = order.next(check)
        && done < named
    {
        if let Some(answer) = short_on(check, arch)
            && misses(check, requirement, arch, &answer)
        {
            separate(text, done, all);
            reached(text, check, requirement, &answer);
            text.str(" on ").str(arch.name());
            done += 1;
        }
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
    beyond_any(text, check, requirement);
    other_requirements(text, check, requirement);
    if any(check, Standing::Passes) {
        text.str(NOTE).str("it passes on ");
        list(text, check, Standing::Passes, true);
    }
}

/// A requirement that no launch can reach on some capability.
const fn beyond_any(text: &mut Text, check: &Check<'_>, requirement: Argument) {
    let mut at = 0;
    while at < check.archs.len() {
        let arch = check.archs[at];
        at += 1;
        let sm = arch.limits();
        if check.asks_too_much(sm, requirement) {
            text.str(NOTE).str("an SM of ").str(arch.name()).str(" holds at most ");
            match requirement {
                Argument::MinBlocksPerSm => count_of(text, sm.max_blocks_per_sm, "block"),
                _ => count_of(text, sm.max_warps_per_sm, "warp"),
            };
        }
    }
}

/// The cause on the only capability that falls short, with its arithmetic.
const fn one_cause(text: &mut Text, check: &Check<'_>) {
    let mut at = 0;
    while at < check.archs.len() {
        let arch = check.archs[at];
        at += 1;
        if let Some(answer) = short_on(check, arch) {
            one_cause_of(text, check, arch, &answer);
        }
    }
}

/// What limits a launch on one capability, with its arithmetic and every block limit.
pub(super) const fn one_cause_of(text: &mut Text, check: &Check<'_>, arch: Arch, answer: &Occupancy) {
    causes(text, check, arch, answer);
    text.str(NOTE).str("blocks per SM each resource allows: ");
    table(text, answer);
}

/// One line for each of several capabilities: what fits there, what limits it, and every block limit.
const fn causes_by_arch(text: &mut Text, check: &Check<'_>, named: usize) {
    let mut done = 0;
    let mut order = Order::new(check, named < count(check, Standing::Short));
    while let Some(arch) = order.next(check)
        && done < named
    {
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

/// The capabilities in the order they are told: as declared, but the worst first where not all are named, since it is
/// the one that decides what is limiting and what helps.
struct Order {
    worst: Option<usize>,
    at: usize,
    told_worst: bool,
}

impl Order {
    const fn new(check: &Check<'_>, worst_first: bool) -> Self {
        let mut worst: Option<(usize, f64)> = None;
        let mut at = 0;
        while worst_first && at < check.archs.len() {
            if let Some(answer) = short_on(check, check.archs[at]) {
                let fraction = answer.fraction();
                let is_worse = match worst {
                    Some((_, least)) => fraction < least,
                    None => true,
                };
                if is_worse {
                    worst = Some((at, fraction));
                }
            }
            at += 1;
        }
        let worst = match worst {
            Some((at, _)) => Some(at),
            None => None,
        };
        Order { worst, at: 0, told_worst: false }
    }

    const fn next(&mut self, check: &Check<'_>) -> Option<Arch> {
        if let (Some(worst), false) = (self.worst, self.told_worst) {
            self.told_worst = true;
            return Some(check.archs[worst]);
        }
        if let Some(worst) = self.worst
            && self.at == worst
        {
            self.at += 1;
        }
        let at = self.at;
        if at >= check.archs.len() {
            return None;
        }
        self.at += 1;
        Some(check.archs[at])
    }
}

/// The answer on `arch`, if it runs there and falls short.
const fn short_on(check: &Check<'_>, arch: Arch) -> Option<Occupancy> {
    match (standing(check, arch), check.on(arch)) {
        (Standing::Short, Ok(answer)) => Some(answer),
        _ => None,
    }
}

pub(super) const fn first_unmet(check: &Check<'_>) -> Argument {
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
pub(super) const fn required(text: &mut Text, check: &Check<'_>, requirement: Argument) {
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
    let one = Requirement {
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
        ..Requirement::new()
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
    let kernel = check.kernel_on(arch);
    let warps = answer.warps_per_block;
    match resource {
        Resource::Registers => {
            let registers = match kernel.registers {
                Some(registers) => registers,
                None => 0,
            };
            text.str(if check.registers_are_cap && check.compiled.is_empty() { "up to " } else { "" });
            text.num(registers as u64).str(" per thread, ");
            count_of(text, warps, "warp").str(" a block, so ");
        }
        Resource::SharedMemory => {
            text.num(answer.smem_per_block as u64).str(" bytes a block (");
            let parts: [(u32, &str); 3] = [
                (kernel.static_smem, " static"),
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
            text.num(kernel.barriers as u64).str(" a block, of the SM's ");
            text.num(match sm.barriers_per_sm {
                Some(pool) => pool as u64,
                None => 0,
            });
            text.str(", so ");
        }
        Resource::VirtualResources => {
            text.num(kernel.virtual_resources as u64).str(" a block, of the SM's ");
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
pub(super) const fn count_of<'t>(text: &'t mut Text, count: u32, noun: &str) -> &'t mut Text {
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

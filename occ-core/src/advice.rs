//! The smallest single changes that make a launch pass.

use crate::arithmetic::min;
use crate::budget::register_budget;
use crate::carveout::Carveout;
use crate::check::Check;
use crate::evaluation::{Evaluation, Outcome};
use crate::kernel::LaunchBounds;
use crate::launch::product;
use crate::refusal::cluster;
use crate::requirement::{Rule, Subject};

/// One change of one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Registers per thread.
    Registers(u32),
    /// Dynamic shared memory per block in bytes.
    DynamicSmem(u32),
    /// Static shared memory per block in bytes.
    StaticSmem(u32),
    /// Named barriers of a block.
    Barriers(u32),
    /// No preferred carve-out.
    NoCarveout,
    /// No cluster.
    NoCluster,
    /// Threads of a block along its axes.
    Block([u32; 3]),
    /// Blocks of the grid along its axes.
    Grid([u32; 3]),
    /// A lower requirement on occupancy, all that the launch reaches as it is.
    MinOccupancy(f64),
}

/// The changes that each make a launch pass a rule, the most direct first. Every one has been tried.
///
/// ```
/// use occ_core::{Arch, Change, Check, Kernel, Launch, Requirement, Rule};
///
/// let check = Check {
///     archs: &[Arch::SM_89],
///     kernel: Kernel::new().registers(162),
///     launch: Launch::new(512),
///     ..Check::new()
/// };
/// let advice = check.advice(Rule::Launch);
/// assert_eq!(advice.changes(), [Some(Change::Registers(128)), Some(Change::Block([384, 1, 1])), None]);
/// assert!(check.with(Change::Block([384, 1, 1])).passes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    changes: [Option<Change>; Self::MOST],
}

impl Advice {
    /// Most changes that are given.
    pub const MOST: usize = 3;

    /// Returns the changes; `None` after the last.
    pub const fn changes(&self) -> [Option<Change>; Self::MOST] {
        self.changes
    }

    /// Returns whether no single change is enough.
    pub const fn is_empty(&self) -> bool {
        self.changes[0].is_none()
    }

    const fn add(&mut self, change: Option<Change>) {
        let Some(change) = change else {
            return;
        };
        let mut at = 0;
        while at < Self::MOST {
            if self.changes[at].is_none() {
                self.changes[at] = Some(change);
                return;
            }
            at += 1;
        }
    }
}

impl<'a> Check<'a> {
    /// Returns this check with one change made.
    #[must_use]
    pub const fn with(&self, change: Change) -> Check<'a> {
        let mut changed = *self;
        match change {
            // What was compiled is not declared: it can only be tried as if it were less.
            Change::Registers(most) if !self.compiled.is_empty() => changed.at_most.registers = most,
            Change::StaticSmem(most) if !self.compiled.is_empty() => changed.at_most.static_smem = most,
            Change::Barriers(most) if !self.compiled.is_empty() => changed.at_most.barriers = most,
            Change::Registers(registers) => changed.kernel.registers = Some(registers),
            Change::DynamicSmem(bytes) => changed.launch.dynamic_smem = bytes,
            Change::StaticSmem(bytes) => changed.kernel.static_smem = bytes,
            Change::Barriers(barriers) => changed.kernel.barriers = barriers,
            Change::NoCarveout => changed.launch.carveout = Carveout::Default,
            Change::NoCluster => changed.launch.cluster = None,
            Change::Block(axes) => changed.launch.block = axes,
            Change::Grid(axes) => changed.launch.grid = Some(axes),
            Change::MinOccupancy(fraction) => changed.requirement.min_occupancy = Some(fraction),
        }
        changed
    }

    /// Returns the smallest single changes that make the launch pass `rule` and break no other rule; none if it passes.
    pub const fn advice(&self, rule: Rule) -> Advice {
        self.evaluate().advice(rule)
    }
}

impl Evaluation<'_> {
    /// Returns the smallest single changes that make the launch pass `rule` and break no other rule; none if it passes.
    pub const fn advice(&self, rule: Rule) -> Advice {
        let mut advice = Advice { changes: [None; Advice::MOST] };
        if self.verdict(rule).passes() || self.out_of_range.is_some() {
            return advice;
        }
        match rule.subject() {
            Subject::Launch => {
                advice.add(self.fewer_registers(rule));
                advice.add(self.less(rule, Amount::DynamicSmem));
                advice.add(self.less(rule, Amount::StaticSmem));
                advice.add(self.less(rule, Amount::Barriers));
                advice.add(self.tried(Rule::Launch, Change::NoCarveout));
                advice.add(self.other_block(rule));
                advice.add(self.whole_clusters());
                advice.add(self.tried(Rule::Launch, Change::NoCluster));
                advice.add(self.possible_grid());
                if advice.is_empty() {
                    advice.add(self.lower_requirement());
                }
            }
            Subject::Block(_) => advice.add(self.other_block(rule)),
            Subject::Grid(_) => advice.add(self.other_grid(rule)),
            // What helps is another kernel, or another declaration: the message says which.
            Subject::Ceiling(_) => {}
            Subject::CompiledMinBlocks => {
                advice.add(self.fewer_registers(rule));
                advice.add(self.less(rule, Amount::DynamicSmem));
                advice.add(self.less(rule, Amount::StaticSmem));
                advice.add(self.other_block(rule));
            }
        }
        advice
    }

    /// Returns `change` if the launch then passes `rule`, and every other rule it passes now.
    const fn tried(&self, rule: Rule, change: Change) -> Option<Change> {
        let changed = self.check.with(change);
        let changed = changed.evaluate();
        if !changed.verdict(rule).passes() {
            return None;
        }
        let mut at = 0;
        while at < Rule::ALL.len() {
            let other = Rule::ALL[at];
            at += 1;
            if self.verdict(other).passes() && !changed.verdict(other).passes() {
                return None;
            }
        }
        Some(change)
    }

    const fn fewer_registers(&self, rule: Rule) -> Option<Change> {
        let (Some(now), Some(mut budget)) = (self.check.most_registers(), self.check.register_budget()) else {
            return None;
        };
        if matches!(rule, Rule::CompiledMinBlocks) {
            budget = min(budget, now.saturating_sub(1) / 8 * 8);
        }
        if budget >= now {
            return None;
        }
        // More blocks per SM can break a rule about waves; fewer registers still may not.
        while budget > 0 {
            if let Some(change) = self.tried(rule, Change::Registers(budget)) {
                return Some(change);
            }
            budget = (budget - 1) / 8 * 8;
        }
        None
    }

    /// Returns the largest smaller amount that is enough.
    const fn less(&self, rule: Rule, amount: Amount) -> Option<Change> {
        let now = match amount {
            Amount::DynamicSmem => self.check.launch.dynamic_smem,
            amount => self.most(amount),
        };
        // A block always has the barrier of `__syncthreads`, which is as good as none.
        let least = if matches!(amount, Amount::Barriers) { 1 } else { 0 };
        if now <= least || !self.check.with(amount.set(least)).verdict(rule).passes() {
            return None;
        }
        let mut enough = least;
        let mut not = now;
        while enough + 1 < not {
            let middle = enough + (not - enough) / 2;
            if self.check.with(amount.set(middle)).verdict(rule).passes() {
                enough = middle;
            } else {
                not = middle;
            }
        }
        if let Some(change) = self.tried(rule, amount.set(enough)) {
            return Some(change);
        }
        // More blocks per SM can break a rule about waves, and even more of them keep it.
        let change = self.tried(rule, amount.set(least));
        if change.is_none() {
            return None;
        }
        let (mut kept, mut broken) = (least, enough);
        while kept + 1 < broken {
            let middle = kept + (broken - kept) / 2;
            if self.tried(rule, amount.set(middle)).is_some() {
                kept = middle;
            } else {
                broken = middle;
            }
        }
        Some(amount.set(kept))
    }

    /// Returns the largest amount that the kernel has on any capability.
    const fn most(&self, amount: Amount) -> u32 {
        let mut most = 0;
        let mut at = 0;
        while at < self.check.archs.len() {
            let kernel = self.check.kernel_on(self.check.archs[at]);
            let here = match amount {
                Amount::Barriers => kernel.barriers,
                _ => kernel.static_smem,
            };
            most = if here > most { here } else { most };
            at += 1;
        }
        most
    }

    /// Returns the block of whole warps nearest in size that passes: with another last axis, or else with one axis.
    const fn other_block(&self, rule: Rule) -> Option<Change> {
        if let Some(required) = self.required_block() {
            return self.tried(rule, Change::Block(required));
        }
        match self.block_like(rule, self.check.launch.block) {
            Some(change) => Some(change),
            None => self.block_like(rule, [1, 1, 1]),
        }
    }

    /// Returns the only block that the kernel was compiled for.
    const fn required_block(&self) -> Option<[u32; 3]> {
        let mut at = 0;
        while at < self.check.archs.len() {
            if let Some(LaunchBounds { required_block: Some(block), .. }) =
                self.check.kernel_on(self.check.archs[at]).bounds
            {
                return Some(block);
            }
            at += 1;
        }
        None
    }

    /// Returns the passing block nearest in size, the larger of two, made from `shape` by changing its last axis.
    const fn block_like(&self, rule: Rule, shape: [u32; 3]) -> Option<Change> {
        let now = product(self.check.launch.block);
        let [x, y, z] = shape;
        let axis = if z > 1 && x > 0 && y > 0 {
            2
        } else if y > 1 && x > 0 {
            1
        } else {
            0
        };
        let mut base = shape;
        base[axis] = 1;
        let mut at = axis + 1;
        while at < 3 {
            base[at] = 1;
            at += 1;
        }
        let each = product(base);
        let mut best: Option<[u32; 3]> = None;
        let mut count = 1;
        while count <= 1024 && each.saturating_mul(count) <= 1024 {
            let threads = each * count;
            let mut block = base;
            block[axis] = count;
            let nearer = match best {
                Some(best) => threads.abs_diff(now) <= product(best).abs_diff(now),
                None => true,
            };
            if threads.is_multiple_of(32)
                && threads != now
                && nearer
                && self.tried(rule, Change::Block(block)).is_some()
            {
                best = Some(block);
            }
            count += 1;
        }
        match best {
            Some(block) => Some(Change::Block(block)),
            None => None,
        }
    }

    /// Returns the grid rounded up to whole clusters.
    const fn whole_clusters(&self) -> Option<Change> {
        let (Some(mut grid), Some(first)) = (self.check.launch.grid, self.check.archs.first()) else {
            return None;
        };
        let Some(cluster) = cluster(&self.check.kernel_on(*first), &self.check.launch) else {
            return None;
        };
        let mut at = 0;
        while at < 3 {
            match grid[at].checked_next_multiple_of(cluster[at]) {
                Some(rounded) if rounded > 0 => grid[at] = rounded,
                _ => return None,
            }
            at += 1;
        }
        self.tried(Rule::Launch, Change::Grid(grid))
    }

    /// Returns the grid with each axis clamped to its limits.
    const fn possible_grid(&self) -> Option<Change> {
        let (Some(mut grid), Some(arch)) = (self.check.launch.grid, self.check.archs.first()) else {
            return None;
        };
        let most = arch.limits().max_grid_axes;
        let mut at = 0;
        while at < 3 {
            grid[at] = if grid[at] == 0 { 1 } else { min(grid[at], most[at]) };
            at += 1;
        }
        self.tried(Rule::Launch, Change::Grid(grid))
    }

    /// Returns the nearest grid that keeps a rule about waves, larger or, where only that helps, smaller. Its last axis
    /// changes.
    const fn other_grid(&self, rule: Rule) -> Option<Change> {
        let Some(mut grid) = self.check.launch.grid else {
            return None;
        };
        let axis = if grid[2] > 1 {
            2
        } else if grid[1] > 1 {
            1
        } else {
            0
        };
        let now = grid[axis];
        // Each GPU that breaks the rule moves the grid to what it needs; what suits one may not suit another.
        let mut rounds = 0;
        while rounds < 64 {
            let changed = self.check.with(Change::Grid(grid));
            let Some((_, waves)) = changed.evaluate().first_short_grid(rule) else {
                return if grid[axis] == now { None } else { self.tried(rule, Change::Grid(grid)) };
            };
            let length = grid[axis] as u64;
            let blocks = self.check.requirement.wanted_blocks(rule, &waves);
            // Blocks of the grid for each step along the axis.
            let each = waves.blocks() / length;
            let wanted = if blocks < waves.blocks() {
                blocks / each
            } else if blocks.div_ceil(each) > length {
                blocks.div_ceil(each)
            } else {
                length + 1
            };
            if wanted == 0 || wanted > u32::MAX as u64 {
                return None;
            }
            grid[axis] = wanted as u32;
            rounds += 1;
        }
        None
    }

    /// Returns the occupancy that the launch reaches on every capability, rounded down to 0.01%.
    const fn lower_requirement(&self) -> Option<Change> {
        let Some(required) = self.check.requirement.min_occupancy else {
            return None;
        };
        if self.refused.is_some() {
            return None;
        }
        let least = match self.worst {
            Some(worst) => match self.outcome(worst) {
                Some(Outcome::Short(occupancy, _)) if occupancy.fraction() < required => occupancy.fraction(),
                _ => required,
            },
            None => required,
        };
        let rounded_down = (least * 10_000.0) as u32 as f64 / 10_000.0;
        self.tried(Rule::Launch, Change::MinOccupancy(rounded_down))
    }
}

/// An amount of which less can be enough.
#[derive(Clone, Copy)]
enum Amount {
    DynamicSmem,
    StaticSmem,
    Barriers,
}

impl Amount {
    const fn set(self, value: u32) -> Change {
        match self {
            Amount::DynamicSmem => Change::DynamicSmem(value),
            Amount::StaticSmem => Change::StaticSmem(value),
            Amount::Barriers => Change::Barriers(value),
        }
    }
}

/// Returns the minimum of blocks for `__launch_bounds__` that keeps the compiler within `registers` on every declared
/// capability.
pub(crate) const fn blocks_for_launch_bounds(check: &Check<'_>, registers: u32) -> Option<u32> {
    let mut common = None;
    let mut at = 0;
    while at < check.archs.len() {
        let sm = check.archs[at].limits();
        let kernel = check.kernel_on(check.archs[at]);
        at += 1;
        let warps = check.launch.threads().div_ceil(sm.warp_size.get());
        let blocks = check.requirement.blocks_per_sm(sm, warps);
        match register_budget(sm, &kernel, &check.launch, blocks) {
            Some(budget) if budget == registers => {}
            _ => return None,
        }
        match common {
            None => common = Some(blocks),
            Some(other) if other == blocks => {}
            Some(_) => return None,
        }
    }
    common
}

//! What a launch must reach, and what its compiled kernels must stay within: one row for each requirement.
//!
//! A row gives the key of the attribute, the values it can have, the [`Argument`] an error points at, when the
//! requirement is missed, and its meaning. Its sentence stands in `message/sentences.rs`.

use crate::compiled::Compiled;
use crate::grid::Waves;
use crate::limits::SmLimits;
use crate::warps::lane_efficiency;

/// A number that an argument can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(u32),
    /// A number with a fraction.
    Float(f64),
}

/// Makes a struct of optional numbers from its rows.
macro_rules! numbers {
    ($(#[$about:meta])* $name:ident { $($field:ident: $kind:ident($type:ty), $argument:ident, $meaning:literal;)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        pub struct $name {
            $(
                #[doc = concat!("The ", $meaning, ".")]
                pub $field: Option<$type>,
            )+
        }

        impl $name {
            /// Requires nothing.
            pub const fn new() -> Self {
                $name { $($field: None),+ }
            }

            /// Returns this with `more`, which holds where both say something.
            #[must_use]
            pub const fn and(mut self, more: $name) -> Self {
                $(
                    if more.$field.is_some() {
                        self.$field = more.$field;
                    }
                )+
                self
            }

            $(
                #[doc = concat!("Sets the ", $meaning, ".")]
                #[must_use]
                pub const fn $field(mut self, value: $type) -> Self {
                    self.$field = Some(value);
                    self
                }
            )+

            /// Returns this with the number of one argument set, or `None` if it has no such argument or number.
            #[must_use]
            pub const fn with(self, argument: Argument, number: Number) -> Option<Self> {
                match (argument, number) {
                    $((Argument::$argument, Number::$kind(value)) => Some(self.$field(value)),)+
                    _ => None,
                }
            }

            /// Returns the number of one argument, if it is set.
            pub const fn get(&self, argument: Argument) -> Option<Number> {
                match (argument, self) {
                    $((Argument::$argument, $name { $field: Some(value), .. }) => Some(Number::$kind(*value)),)+
                    _ => None,
                }
            }
        }
    };
}

/// Makes the requirements, the arguments and the rules from their rows.
macro_rules! requirements {
    (
        $(#[$of_requirement:meta])*
        launch { $($launch:ident: $launch_kind:ident($launch_type:ty) in $launch_least:literal..=$launch_most:expr,
            $launch_argument:ident missed by |$resident:ident, $least:ident| $is_missed:expr, $launch_meaning:literal;)+ }
        block { $($block:ident: $block_kind:ident($block_type:ty) in $block_least:literal..=$block_most:expr,
            $block_argument:ident broken by |$threads:ident, $of_block:ident| $block_breaks:expr, $block_meaning:literal;)+ }
        grid { $($grid:ident: $grid_kind:ident($grid_type:ty) in $grid_least:literal..=$grid_most:expr,
            $grid_argument:ident broken by |$waves:ident, $of_grid:ident| $grid_breaks:expr,
            kept from $wanted:expr, $grid_meaning:literal;)+ }
        $(#[$of_ceilings:meta])*
        ceilings { $($ceiling:ident: $ceiling_kind:ident($ceiling_type:ty), $ceiling_argument:ident
            of |$compiled:ident| $number:expr, $ceiling_meaning:literal;)+ }
        arguments { $($other:ident $other_argument:ident,)+ }
    ) => {
        numbers! {
            $(#[$of_requirement])*
            Requirement {
                $($launch: $launch_kind($launch_type), $launch_argument, $launch_meaning;)+
                $($block: $block_kind($block_type), $block_argument, $block_meaning;)+
                $($grid: $grid_kind($grid_type), $grid_argument, $grid_meaning;)+
            }
        }

        numbers! {
            $(#[$of_ceilings])*
            Ceilings {
                $($ceiling: $ceiling_kind($ceiling_type), $ceiling_argument, $ceiling_meaning;)+
            }
        }

        impl Requirement {
            /// The requirements of [`Rule::Launch`], in the order they are reported.
            pub(crate) const OF_LAUNCH: &[Argument] = &[$(Argument::$launch_argument,)+];

            /// Returns the requirements of [`Rule::Launch`] that so many resident blocks miss.
            #[inline(always)]
            pub(crate) const fn shortfall(&self, resident: &Resident) -> Shortfall {
                let mut missed = 0;
                $(
                    if let Some($least) = self.$launch {
                        let $resident = resident;
                        if $is_missed {
                            missed |= 1 << Argument::$launch_argument as u32;
                        }
                    }
                )+
                Shortfall(missed)
            }

            /// Returns whether a block of so many threads breaks a rule about blocks.
            pub(crate) const fn is_broken_by_block(&self, rule: Rule, threads: u32) -> bool {
                match (rule, self) {
                    $((Rule::$block_argument, Requirement { $block: Some($of_block), .. }) => {
                        let ($threads, $of_block) = (threads, *$of_block);
                        $block_breaks
                    })+
                    _ => false,
                }
            }

            /// Returns whether a grid breaks a rule about waves.
            pub(crate) const fn is_broken_by_grid(&self, rule: Rule, waves: &Waves) -> bool {
                match (rule, self) {
                    $((Rule::$grid_argument, Requirement { $grid: Some($of_grid), .. }) => {
                        let ($waves, $of_grid) = (waves, *$of_grid);
                        $grid_breaks
                    })+
                    _ => false,
                }
            }

            /// Returns the number of blocks to try for a grid that breaks a rule about waves.
            pub(crate) const fn wanted_blocks(&self, rule: Rule, waves: &Waves) -> u64 {
                match (rule, self) {
                    $((Rule::$grid_argument, Requirement { $grid: Some($of_grid), .. }) => {
                        let ($waves, $of_grid) = (waves, *$of_grid);
                        $wanted
                    })+
                    _ => waves.blocks(),
                }
            }

            /// Returns the largest number that a requirement can have.
            pub(crate) const fn largest(argument: Argument) -> f64 {
                match argument {
                    $(Argument::$launch_argument => $launch_most as f64,)+
                    $(Argument::$block_argument => $block_most as f64,)+
                    $(Argument::$grid_argument => $grid_most as f64,)+
                    _ => f64::INFINITY,
                }
            }

            /// Returns the first argument whose number is out of range.
            #[allow(clippy::absurd_extreme_comparisons)]
            pub(crate) const fn out_of_range(&self) -> Option<Argument> {
                $(
                    if let Some(value) = self.$launch
                        && !(value >= $launch_least && value <= $launch_most)
                    {
                        return Some(Argument::$launch_argument);
                    }
                )+
                $(
                    if let Some(value) = self.$block
                        && !(value >= $block_least && value <= $block_most)
                    {
                        return Some(Argument::$block_argument);
                    }
                )+
                $(
                    if let Some(value) = self.$grid
                        && !(value >= $grid_least && value <= $grid_most)
                    {
                        return Some(Argument::$grid_argument);
                    }
                )+
                None
            }
        }

        impl Ceilings {
            /// Returns the number of a compiled kernel that has a ceiling; `None` if it is not known.
            pub(crate) const fn number(rule: Rule, compiled: &Compiled<'_>) -> Option<u32> {
                match rule {
                    $(Rule::$ceiling_argument => {
                        let $compiled = compiled;
                        $number
                    })+
                    _ => None,
                }
            }

            /// Returns the ceiling of a rule.
            pub(crate) const fn of(&self, rule: Rule) -> Option<u32> {
                match rule {
                    $(Rule::$ceiling_argument => self.$ceiling,)+
                    _ => None,
                }
            }
        }

        /// An argument of the attribute: where an error points.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Argument {
            $(#[doc = concat!("`", stringify!($launch), "`")] $launch_argument,)+
            $(#[doc = concat!("`", stringify!($block), "`")] $block_argument,)+
            $(#[doc = concat!("`", stringify!($grid), "`")] $grid_argument,)+
            $(#[doc = concat!("`", stringify!($ceiling), "`")] $ceiling_argument,)+
            $(#[doc = concat!("`", stringify!($other), "`")] $other_argument,)+
        }

        impl Argument {
            /// The arguments that are a [`Requirement`].
            pub(crate) const REQUIREMENTS: &[Argument] = &[
                $(Argument::$launch_argument,)+
                $(Argument::$block_argument,)+
                $(Argument::$grid_argument,)+
            ];

            /// Returns the key of the attribute.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Argument::$launch_argument => stringify!($launch),)+
                    $(Argument::$block_argument => stringify!($block),)+
                    $(Argument::$grid_argument => stringify!($grid),)+
                    $(Argument::$ceiling_argument => stringify!($ceiling),)+
                    $(Argument::$other_argument => stringify!($other),)+
                }
            }

            /// Returns the rule that an argument asks for, if it is a requirement.
            pub const fn rule(self) -> Option<Rule> {
                match self {
                    $(Argument::$launch_argument => Some(Rule::Launch),)+
                    $(Argument::$block_argument => Some(Rule::$block_argument),)+
                    $(Argument::$grid_argument => Some(Rule::$grid_argument),)+
                    $(Argument::$ceiling_argument => Some(Rule::$ceiling_argument),)+
                    _ => None,
                }
            }
        }

        /// A rule a launch is checked against.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            /// The launch can run, and reaches the required occupancy, blocks and warps per SM.
            Launch,
            $(#[doc = concat!("The ", $block_meaning, ".")] $block_argument,)+
            $(#[doc = concat!("The ", $grid_meaning, ".")] $grid_argument,)+
            $(#[doc = concat!("The ", $ceiling_meaning, ".")] $ceiling_argument,)+
            /// An SM holds as many blocks as the kernel was compiled for (`.minnctapersm`).
            CompiledMinBlocks,
        }

        /// What a rule is about, with the argument that asks for it.
        #[derive(Clone, Copy)]
        pub(crate) enum Subject {
            Launch,
            Block(Argument),
            Grid(Argument),
            Ceiling(Argument),
            CompiledMinBlocks,
        }

        impl Rule {
            /// Every rule.
            pub const ALL: [Rule; Self::COUNT] = [
                Rule::Launch,
                $(Rule::$block_argument,)+
                $(Rule::$grid_argument,)+
                $(Rule::$ceiling_argument,)+
                Rule::CompiledMinBlocks,
            ];

            /// Returns what the rule is about.
            pub(crate) const fn subject(self) -> Subject {
                match self {
                    Rule::Launch => Subject::Launch,
                    $(Rule::$block_argument => Subject::Block(Argument::$block_argument),)+
                    $(Rule::$grid_argument => Subject::Grid(Argument::$grid_argument),)+
                    $(Rule::$ceiling_argument => Subject::Ceiling(Argument::$ceiling_argument),)+
                    Rule::CompiledMinBlocks => Subject::CompiledMinBlocks,
                }
            }

            /// Returns the arguments an error about the rule can point at: those that can limit the launch, each of
            /// which is meant only where a verdict names it, then the others, of which the first that was written is.
            pub const fn arguments(self) -> (&'static [Argument], &'static [Argument]) {
                match self {
                    Rule::Launch => (LIMITING, &[$(Argument::$launch_argument,)+ Argument::Arch, Argument::Gpu]),
                    $(Rule::$block_argument => (&[], &[Argument::Block, Argument::$block_argument]),)+
                    $(Rule::$grid_argument => (&[], &[Argument::Grid, Argument::$grid_argument]),)+
                    $(Rule::$ceiling_argument => (&[], &[Argument::$ceiling_argument]),)+
                    Rule::CompiledMinBlocks => (&[], &[Argument::Cubin]),
                }
            }
        }

        /// What can limit a launch, or have a number out of its range.
        const LIMITING: &[Argument] = &[
            Argument::Block,
            Argument::Cubin,
            Argument::Registers,
            Argument::DynamicSmem,
            Argument::StaticSmem,
            Argument::Barriers,
            Argument::Cluster,
            Argument::Carveout,
            Argument::Grid,
            Argument::MinBlocksPerSm,
            Argument::MinWarpsPerSm,
            $(Argument::$block_argument,)+
            $(Argument::$grid_argument,)+
        ];
    };
}

requirements! {
    /// What a launch must reach. Nothing is required that is `None`.
    launch {
        min_occupancy: Float(f64) in 0.0..=1.0,
            MinOccupancy missed by |sm, least| (sm.warps() as f64 / sm.max_warps as f64) < least,
            "minimum theoretical occupancy, 0.0 to 1.0";
        min_blocks_per_sm: Integer(u32) in 1..=u32::MAX,
            MinBlocksPerSm missed by |sm, least| sm.blocks < least,
            "minimum number of blocks resident per SM";
        min_warps_per_sm: Integer(u32) in 1..=u32::MAX,
            MinWarpsPerSm missed by |sm, least| sm.warps() < least,
            "minimum number of warps resident per SM";
    }
    block {
        min_lane_efficiency: Float(f64) in 0.0..=1.0,
            MinLaneEfficiency broken by |threads, least| lane_efficiency(threads) < least,
            "minimum lane efficiency of a block, threads ÷ (32 × warps), 0.0 to 1.0";
    }
    grid {
        min_waves: Float(f64) in 0.0..=Requirement::MAX_WAVES,
            MinWaves broken by |waves, least| waves.exact() < least,
            kept from {
                let slots = waves.slots() as f64;
                let wanted = (least * slots) as u64;
                if (wanted as f64 / slots) < least { wanted.saturating_add(1) } else { wanted }
            },
            "minimum number of waves of the grid, with their fraction, on every declared GPU";
        max_waves: Float(f64) in 0.0..=Requirement::MAX_WAVES,
            MaxWaves broken by |waves, most| waves.exact() > most,
            kept from {
                let slots = waves.slots() as f64;
                let wanted = (most * slots) as u64;
                if (wanted as f64 / slots) > most { wanted.saturating_sub(1) } else { wanted }
            },
            "maximum number of waves of the grid, with their fraction, on every declared GPU";
        max_tail_idle: Float(f64) in 0.0..=1.0,
            MaxTailIdle broken by |waves, most| waves.tail_idle() > most,
            kept from {
                let slots = waves.slots();
                let tail = ((1.0 - most) * slots as f64) as u64;
                let idle = (slots - tail) as f64 / slots as f64;
                waves.full().saturating_mul(slots).saturating_add(if idle <= most { tail } else { tail + 1 })
            },
            "maximum share of slots left empty in the last wave, 0.0 to 1.0, on every declared GPU";
    }
    /// What a compiled kernel must stay within on every capability: a budget that holds over new versions of the
    /// compiler.
    ceilings {
        registers: Integer(u32), Registers of |compiled| compiled.kernel.registers,
            "maximum number of registers per thread";
        max_stack: Integer(u32), MaxStack of |compiled| compiled.stack,
            "maximum local memory per thread, in bytes";
        max_spills: Integer(u32), MaxSpills of |compiled| compiled.spills,
            "maximum number of bytes of registers spilled per thread, stores and loads together";
    }
    arguments {
        arch Arch,
        gpu Gpu,
        block Block,
        dynamic_smem DynamicSmem,
        static_smem StaticSmem,
        barriers Barriers,
        cluster Cluster,
        carveout Carveout,
        grid Grid,
        cubin Cubin,
    }
}

/// The blocks resident on an SM.
pub(crate) struct Resident {
    pub(crate) blocks: u32,
    pub(crate) warps_per_block: u32,
    pub(crate) max_warps: u32,
}

impl Resident {
    pub(crate) const fn warps(&self) -> u32 {
        self.blocks.saturating_mul(self.warps_per_block)
    }
}

/// The requirements of [`Rule::Launch`] that are missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall(u32);

impl Shortfall {
    /// Returns whether nothing is missed.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether a requirement is missed.
    pub const fn misses(self, requirement: Argument) -> bool {
        self.0 >> (requirement as u32) & 1 == 1
    }

    /// Returns the first requirement that is missed, in the order they are reported.
    pub const fn first(self) -> Option<Argument> {
        let mut index = 0;
        while index < Requirement::OF_LAUNCH.len() {
            if self.misses(Requirement::OF_LAUNCH[index]) {
                return Some(Requirement::OF_LAUNCH[index]);
            }
            index += 1;
        }
        None
    }
}

impl Rule {
    pub(crate) const COUNT: usize = Rule::CompiledMinBlocks as usize + 1;
}

impl Requirement {
    /// Most waves that can be required: more than any grid has on any GPU.
    pub const MAX_WAVES: f64 = u32::MAX as f64;

    /// Returns the minimum of blocks per SM that meets the requirements of occupancy, at least 1.
    ///
    /// ```
    /// use occ_core::{Arch, Requirement};
    ///
    /// let half = Requirement::new().min_occupancy(0.5);
    /// assert_eq!(half.blocks_per_sm(Arch::SM_80.limits(), 8), 4);
    /// assert_eq!(half.blocks_per_sm(Arch::SM_86.limits(), 8), 3);
    /// ```
    pub const fn blocks_per_sm(&self, sm: &SmLimits, warps_per_block: u32) -> u32 {
        let mut warps = match self.min_occupancy {
            Some(fraction) => warps_for(sm, fraction),
            None => 0,
        };
        if let Some(required) = self.min_warps_per_sm
            && required > warps
        {
            warps = required;
        }
        let mut blocks = warps.div_ceil(if warps_per_block == 0 { 1 } else { warps_per_block });
        if let Some(required) = self.min_blocks_per_sm
            && required > blocks
        {
            blocks = required;
        }
        if blocks == 0 { 1 } else { blocks }
    }
}

/// Returns the minimum of warps whose share of the SM's is at least `fraction`, compared as a quotient.
const fn warps_for(sm: &SmLimits, fraction: f64) -> u32 {
    let most = sm.max_warps_per_sm as f64;
    let warps = (fraction * most) as u32;
    if warps as f64 / most >= fraction { warps } else { warps.saturating_add(1) }
}

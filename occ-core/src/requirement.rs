//! What a launch must reach, and what its compiled kernels must stay within: one row for each requirement.
//!
//! A row gives the key of the attribute, the [`Argument`] an error points at, the values it can have and its meaning.
//! Everything else that is said of a requirement one by one is its sentence in `message/`.

use crate::limits::SmLimits;
use crate::occupancy::Occupancy;

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

/// Makes the arguments and the rules from the rows of all requirements.
macro_rules! requirements {
    (
        $(#[$of_launch:meta])*
        launch { $($launch:ident: $launch_kind:ident($launch_type:ty) in $launch_least:literal..=$launch_most:expr, $launch_argument:ident, $launch_meaning:literal;)+ }
        alone { $($alone:ident: $alone_kind:ident($alone_type:ty) in $alone_least:literal..=$alone_most:expr, $alone_argument:ident of $subject:ident, $alone_meaning:literal;)+ }
        $(#[$of_ceilings:meta])*
        ceilings { $($ceiling:ident: $ceiling_kind:ident($ceiling_type:ty), $ceiling_argument:ident, $ceiling_meaning:literal;)+ }
        arguments { $($other:ident $other_argument:ident,)+ }
    ) => {
        numbers! {
            $(#[$of_launch])*
            Requirement {
                $($launch: $launch_kind($launch_type), $launch_argument, $launch_meaning;)+
                $($alone: $alone_kind($alone_type), $alone_argument, $alone_meaning;)+
            }
        }

        numbers! {
            $(#[$of_ceilings])*
            Ceilings {
                $($ceiling: $ceiling_kind($ceiling_type), $ceiling_argument, $ceiling_meaning;)+
            }
        }

        impl Requirement {
            /// Returns the first argument whose number is none that it can have.
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
                    if let Some(value) = self.$alone
                        && !(value >= $alone_least && value <= $alone_most)
                    {
                        return Some(Argument::$alone_argument);
                    }
                )+
                None
            }
        }

        /// An argument of the attribute: where an error points.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Argument {
            $(
                #[doc = concat!("`", stringify!($launch), "`")]
                $launch_argument,
            )+
            $(
                #[doc = concat!("`", stringify!($alone), "`")]
                $alone_argument,
            )+
            $(
                #[doc = concat!("`", stringify!($ceiling), "`")]
                $ceiling_argument,
            )+
            $(
                #[doc = concat!("`", stringify!($other), "`")]
                $other_argument,
            )+
        }

        impl Argument {
            /// Returns the key of the attribute.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Argument::$launch_argument => stringify!($launch),)+
                    $(Argument::$alone_argument => stringify!($alone),)+
                    $(Argument::$ceiling_argument => stringify!($ceiling),)+
                    $(Argument::$other_argument => stringify!($other),)+
                }
            }

            /// Returns the rule that an argument asks for, if it is a requirement.
            pub const fn rule(self) -> Option<Rule> {
                match self {
                    $(Argument::$launch_argument => Some(Rule::Launch),)+
                    $(Argument::$alone_argument => Some(Rule::$alone_argument),)+
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
            $(
                #[doc = concat!("The ", $alone_meaning, ".")]
                $alone_argument,
            )+
            $(
                #[doc = concat!("The ", $ceiling_meaning, ".")]
                $ceiling_argument,
            )+
            /// An SM holds as many blocks as the kernel was compiled for (`.minnctapersm`).
            CompiledMinBlocks,
        }

        impl Rule {
            /// Every rule.
            pub const ALL: [Rule; Self::COUNT] = [
                Rule::Launch,
                $(Rule::$alone_argument,)+
                $(Rule::$ceiling_argument,)+
                Rule::CompiledMinBlocks,
            ];

            /// Returns the arguments an error about the rule can point at: those that can limit the launch, each of
            /// which is meant only where a verdict names it, then the others, of which the first that was written is.
            pub const fn arguments(self) -> (&'static [Argument], &'static [Argument]) {
                match self {
                    Rule::Launch => (LIMITING, &[$(Argument::$launch_argument,)+ Argument::Arch, Argument::Gpu]),
                    $(Rule::$alone_argument => (&[], &[Argument::$subject, Argument::$alone_argument]),)+
                    $(Rule::$ceiling_argument => (&[], &[Argument::$ceiling_argument]),)+
                    Rule::CompiledMinBlocks => (&[], &[Argument::Cubin]),
                }
            }
        }

        /// What can limit a launch, or be no number that it can have.
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
            $(Argument::$alone_argument,)+
        ];
    };
}

requirements! {
    /// What a launch must reach. Nothing is required that is `None`.
    launch {
        min_occupancy: Float(f64) in 0.0..=1.0, MinOccupancy, "minimum theoretical occupancy, 0.0 to 1.0";
        min_blocks_per_sm: Integer(u32) in 1..=u32::MAX, MinBlocksPerSm, "minimum number of blocks resident per SM";
        min_warps_per_sm: Integer(u32) in 1..=u32::MAX, MinWarpsPerSm, "minimum number of warps resident per SM";
    }
    // Each of these is a rule of its own.
    alone {
        min_lane_efficiency: Float(f64) in 0.0..=1.0, MinLaneEfficiency of Block,
            "minimum lane efficiency of a block, threads ÷ (32 × warps), 0.0 to 1.0";
        min_waves: Float(f64) in 0.0..=Requirement::MAX_WAVES, MinWaves of Grid,
            "minimum number of waves of the grid, with their fraction, on every declared GPU";
        max_tail_idle: Float(f64) in 0.0..=1.0, MaxTailIdle of Grid,
            "maximum share of slots left empty in the last wave, 0.0 to 1.0, on every declared GPU";
    }
    /// What a compiled kernel must stay within on every capability: a budget that holds over new versions of the
    /// compiler.
    ceilings {
        registers: Integer(u32), Registers, "maximum number of registers per thread";
        max_stack: Integer(u32), MaxStack, "maximum local memory per thread, in bytes";
        max_spills: Integer(u32), MaxSpills,
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

impl Rule {
    pub(crate) const COUNT: usize = Rule::CompiledMinBlocks as usize + 1;
}

impl Requirement {
    /// Most waves that can be required: more than any grid has on any GPU.
    pub const MAX_WAVES: f64 = u32::MAX as f64;

    /// The fewest blocks per SM that satisfy what is required of occupancy, at least 1.
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

    /// Whether an answer reaches what is required of occupancy: the same as holding as many blocks as
    /// [`Requirement::blocks_per_sm`], with less to compute.
    #[inline]
    pub(crate) const fn is_met(&self, answer: &Occupancy) -> bool {
        let warps = answer.blocks_per_sm * answer.warps_per_block;
        if let Some(fraction) = self.min_occupancy
            && (warps as f64 / answer.max_warps_per_sm as f64) < fraction
        {
            return false;
        }
        if let Some(required) = self.min_blocks_per_sm
            && answer.blocks_per_sm < required
        {
            return false;
        }
        if let Some(required) = self.min_warps_per_sm
            && warps < required
        {
            return false;
        }
        true
    }
}

/// The fewest warps whose share of the SM's is at least `fraction`, compared as it is shown: as a quotient.
pub(crate) const fn warps_for(sm: &SmLimits, fraction: f64) -> u32 {
    let most = sm.max_warps_per_sm as f64;
    let warps = (fraction * most) as u32;
    if warps as f64 / most >= fraction { warps } else { warps.saturating_add(1) }
}

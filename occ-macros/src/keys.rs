//! The keys of the attribute, one row each: what is known about a key stands here and nowhere else.

use occ_core::{Argument, Requirement};

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueKind {
    /// `"a"` or `["a", "b"]`.
    Strings,
    /// `"a"`.
    String,
    /// A number of the launch or the kernel.
    Number(NumberKind),
    /// One to three integers.
    Axes,
    /// A percentage or a name for one.
    Percentage,
    /// A number that the launch or its compiled kernel is compared with, and what must be declared beside it.
    Requirement(NumberKind, Needs),
    /// An identifier.
    Name,
    /// A path.
    Path,
    /// A list of identifiers, in parentheses with or without `=`.
    Names,
    /// Parameters with their values, in parentheses.
    Instances,
    /// Nothing: the key alone.
    Flag,
}

/// The type and range of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberKind {
    /// A `u32` from a minimum.
    Integer { min: u32 },
    /// A `f64` from 0 to a maximum.
    Float { max: f64 },
}

/// What must be declared beside a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// `grid` and `gpu`.
    Grid,
    /// `cubin`.
    Cubin,
}

impl Needs {
    /// Returns the keys that are needed.
    pub(crate) fn keys(self) -> &'static [Key] {
        match self {
            Needs::Nothing => &[],
            Needs::Grid => &[Key::Grid, Key::Gpu],
            Needs::Cubin => &[Key::Cubin],
        }
    }
}

/// What is known about a key.
pub(crate) struct Row {
    pub(crate) key: Key,
    /// Its name, then the synonyms that are accepted.
    pub(crate) names: &'static [&'static str],
    pub(crate) kind: ValueKind,
    /// A value to show in messages.
    pub(crate) example: &'static str,
    /// What the model calls it, if an error of a check can point at it.
    pub(crate) argument: Option<Argument>,
    /// What it declares: a noun phrase, as messages show it.
    pub(crate) meaning: &'static str,
}

macro_rules! keys {
    ($(#[doc = $meaning:literal] $key:ident($names:expr, $kind:expr, $example:literal, $argument:expr);)+) => {
        /// A key of the attribute.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Key {
            $(#[doc = $meaning] $key,)+
        }

        /// Every key, in the order of [`Key`].
        pub(crate) const KEYS: &[Row] = &[$(Row {
            key: Key::$key,
            names: &$names,
            kind: $kind,
            example: $example,
            argument: $argument,
            meaning: $meaning,
        },)+];
    };
}

const FRACTION: NumberKind = NumberKind::Float { max: 1.0 };
const WAVES: NumberKind = NumberKind::Float { max: Requirement::MAX_WAVES };
const COUNT: NumberKind = NumberKind::Integer { min: 1 };
const AMOUNT: NumberKind = NumberKind::Integer { min: 0 };

keys! {
    /// compute capabilities or targets to check
    Arch(["arch"], ValueKind::Strings, "\"sm_80\"", Some(Argument::Arch));
    /// GPUs to check
    Gpu(["gpu"], ValueKind::Strings, "\"A100 SXM4\"", Some(Argument::Gpu));
    /// minimum theoretical occupancy, 0.0 to 1.0
    MinOccupancy(["min_occupancy"], ValueKind::Requirement(FRACTION, Needs::Nothing), "0.5", Some(Argument::MinOccupancy));
    /// minimum resident blocks per SM
    MinBlocksPerSm(["min_blocks_per_sm"], ValueKind::Requirement(COUNT, Needs::Nothing), "2", Some(Argument::MinBlocksPerSm));
    /// minimum resident warps per SM
    MinWarpsPerSm(["min_warps_per_sm"], ValueKind::Requirement(COUNT, Needs::Nothing), "16", Some(Argument::MinWarpsPerSm));
    /// minimum share of a block's lanes with a thread, 0.0 to 1.0
    MinLaneEfficiency(
        ["min_lane_efficiency"],
        ValueKind::Requirement(FRACTION, Needs::Nothing),
        "1.0",
        Some(Argument::MinLaneEfficiency)
    );
    /// minimum waves of the grid
    MinWaves(["min_waves"], ValueKind::Requirement(WAVES, Needs::Grid), "2.0", Some(Argument::MinWaves));
    /// maximum waves of the grid
    MaxWaves(["max_waves"], ValueKind::Requirement(WAVES, Needs::Grid), "1.0", Some(Argument::MaxWaves));
    /// maximum share of empty slots in the last wave, 0.0 to 1.0
    MaxTailIdle(["max_tail_idle"], ValueKind::Requirement(FRACTION, Needs::Grid), "0.1", Some(Argument::MaxTailIdle));
    /// threads per block, for up to three axes
    Block(["block"], ValueKind::Axes, "256", Some(Argument::Block));
    /// dynamic shared memory per block in bytes
    DynamicSmem(["dynamic_smem"], ValueKind::Number(AMOUNT), "4096", Some(Argument::DynamicSmem));
    /// static shared memory per block in bytes
    StaticSmem(["static_smem"], ValueKind::Number(AMOUNT), "4096", Some(Argument::StaticSmem));
    /// registers per thread
    Registers(["registers"], ValueKind::Number(COUNT), "32", Some(Argument::Registers));
    /// maximum registers per thread
    MaxRegisters(["max_registers"], ValueKind::Number(COUNT), "64", Some(Argument::Registers));
    /// named barriers per block
    Barriers(["barriers"], ValueKind::Number(AMOUNT), "1", Some(Argument::Barriers));
    /// blocks per cluster, for up to three axes
    Cluster(["cluster"], ValueKind::Axes, "2", Some(Argument::Cluster));
    /// preferred share of on-chip memory for shared memory, in percent
    Carveout(["carveout"], ValueKind::Percentage, "50", Some(Argument::Carveout));
    /// blocks of the grid, for up to three axes
    Grid(["grid"], ValueKind::Axes, "512", Some(Argument::Grid));
    /// compiled artifacts to read the kernel's resources from
    Cubin(["cubin"], ValueKind::Strings, "\"kernels/saxpy.cubin\"", Some(Argument::Cubin));
    /// name of the kernel
    Kernel(["kernel"], ValueKind::String, "\"saxpy\"", None);
    /// maximum local memory per thread in bytes
    MaxStack(["max_stack"], ValueKind::Requirement(AMOUNT, Needs::Cubin), "0", Some(Argument::MaxStack));
    /// maximum bytes of spilled registers per thread, stored and loaded
    MaxSpills(["max_spills"], ValueKind::Requirement(AMOUNT, Needs::Cubin), "0", Some(Argument::MaxSpills));
    /// what the guard does when the driver contradicts the declaration
    OnMismatch(["on_mismatch"], ValueKind::String, "\"warn\"", None);
    /// warnings to silence
    Allow(["allow"], ValueKind::Names, "(partial_warp)", None);
    /// values of generic parameters to check at once
    Instances(["instances"], ValueKind::Instances, "N = [64, 128]", None);
    /// the check depends on the surrounding `impl`
    Generic(["generic"], ValueKind::Flag, "", None);
    /// name of the constant for the checked launch
    Spec(["spec"], ValueKind::Name, "SAXPY", None);
    /// path of `occ_runtime` for the expansion
    Crate(["crate"], ValueKind::Path, "::my_runtime::occ_runtime", None);
}

impl Key {
    /// Returns the key of a name or synonym.
    pub(crate) fn find(name: &str) -> Option<Key> {
        KEYS.iter().find(|row| row.names.contains(&name)).map(|row| row.key)
    }

    /// Returns what is known about the key.
    pub(crate) fn row(self) -> &'static Row {
        &KEYS[self as usize]
    }

    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        self.row().names[0]
    }

    /// Returns an example of the key with a value.
    pub(crate) fn example(self) -> String {
        let (name, example) = (self.name(), self.row().example);
        match self.row().kind {
            ValueKind::Flag => name.to_owned(),
            ValueKind::Instances => format!("{name}({example})"),
            _ => format!("{name} = {example}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_one_key() {
        for row in KEYS {
            assert_eq!(row.key.row().names, row.names);
            for name in row.names {
                assert_eq!(Key::find(name), Some(row.key), "{name}");
            }
        }
    }
}

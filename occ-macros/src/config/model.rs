//! The launch configuration that an attribute declares.

use crate::arguments::Arg;
use crate::compiled_kernel::CompiledKernel;
use crate::diagnostics::TokenRange;
use crate::value::{Number, Value};
use occ_core::{Arch, Argument, Gpu};
use proc_macro2::TokenStream;

/// A block, cluster or grid.
pub(crate) type Axes = [Value<u32>; 3];

/// A launch configuration.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) archs: Vec<Arch>,
    pub(crate) gpus: Vec<&'static Gpu>,
    pub(crate) block: Axes,
    pub(crate) dynamic_smem: Value<u32>,
    pub(crate) static_smem: Value<u32>,
    /// Beside compiled kernels, a maximum for them.
    pub(crate) registers: Option<Value<u32>>,
    pub(crate) registers_are_cap: bool,
    pub(crate) barriers: Value<u32>,
    pub(crate) cluster: Option<Axes>,
    /// Preferred carve-out in percent.
    pub(crate) carveout: Option<Value<u32>>,
    pub(crate) grid: Option<Axes>,
    /// What the launch and its compiled kernels must satisfy.
    pub(crate) requirements: Vec<Arg<Number>>,
    /// Kernels read from artifacts: one for each capability, or none.
    pub(crate) compiled: Vec<CompiledKernel>,
    /// Notes of every message: where a default came from, which instance was checked.
    pub(crate) notes: Vec<String>,
    /// Files that were read, which the build must track.
    pub(crate) files: Vec<String>,
    /// Environment variables that were read, set or not, which the build must track.
    pub(crate) variables: Vec<&'static str>,
    /// Where each argument is written.
    pub(crate) places: Vec<(Argument, TokenRange)>,
    /// Where to point for an argument that is not written.
    pub(crate) fallback: TokenRange,
}

impl Config {
    /// Returns where to point: at the first of the arguments that is written, else at the attribute.
    pub(crate) fn place(&self, arguments: &[Argument]) -> TokenRange {
        arguments.iter().find_map(|argument| self.written(*argument)).unwrap_or(self.fallback)
    }

    /// Returns where an argument is written.
    pub(crate) fn written(&self, argument: Argument) -> Option<TokenRange> {
        self.places.iter().find(|(written, _)| *written == argument).map(|(_, range)| *range)
    }

    /// Returns every constant expression in it.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &TokenStream> {
        [&self.dynamic_smem, &self.static_smem, &self.barriers]
            .into_iter()
            .chain(&self.block)
            .chain(&self.registers)
            .chain(&self.carveout)
            .chain([&self.cluster, &self.grid].into_iter().flatten().flatten())
            .filter_map(Value::constant)
            .chain(self.requirements.iter().filter_map(|requirement| requirement.value.constant()))
    }

    /// Returns whether the macro knows every value.
    pub(crate) fn is_known(&self) -> bool {
        self.constants().next().is_none()
    }
}

/// Returns the axes, if the macro knows each of them.
pub(crate) fn known_axes(axes: &Axes) -> Option<[u32; 3]> {
    let [x, y, z] = axes;
    Some([x.known()?, y.known()?, z.known()?])
}

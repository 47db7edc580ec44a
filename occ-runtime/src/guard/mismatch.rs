//! The differences between a launch as it was checked and as it would run.

use super::device::LimitDifference;
use core::fmt;
use occ_core::internal::{BY_RESOURCE, Value};
use occ_core::{Arch, Axis, BlockLimits, Refusal, Requirement, Resource};

/// A difference between what was checked and what is launched, with both values.
///
/// [`Display`](fmt::Display) writes it in one line. [`LaunchError`](super::LaunchError) and the log add notes and help.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Mismatch {
    /// The launch has another block than was checked.
    Block {
        /// Threads along x, y and z as checked.
        declared: [u32; 3],
        /// As launched.
        launched: [u32; 3],
    },
    /// The launch has another cluster than was checked; `None` for no cluster.
    Cluster {
        /// Blocks along x, y and z as checked.
        declared: Option<[u32; 3]>,
        /// As launched.
        launched: Option<[u32; 3]>,
    },
    /// The launch has other dynamic shared memory than was checked.
    DynamicSmem {
        /// Bytes per block as checked.
        declared: u32,
        /// As launched.
        launched: u32,
    },
    /// The launch cannot run on this device, or with this grid.
    CannotRun {
        /// Why.
        refusal: Refusal,
    },
    /// The driver reports 0 blocks per SM, and the model does not know why.
    NoBlock,
    /// The device holds not even one cluster of the launch.
    NoCluster {
        /// Blocks of the cluster along x, y and z.
        cluster: [u32; 3],
    },
    /// The driver's occupancy misses what is required.
    Occupancy {
        /// What is required.
        required: Requirement,
        /// Blocks per SM that would meet it.
        required_blocks: u32,
        /// Driver's blocks per SM, at least 1.
        blocks_per_sm: u32,
        /// Warps of a block.
        warps_per_block: u32,
        /// Most resident warps of an SM.
        max_warps_per_sm: u32,
        /// Block limit of each resource, where the model agrees with the driver.
        limits: Option<BlockLimits>,
        /// Most registers per thread with which registers allow what is required.
        register_budget: Option<u32>,
        /// Registers per thread of the function.
        registers: u32,
    },
    /// The device has a capability that was not declared.
    Capability {
        /// Those that were.
        declared: &'static [Arch],
        /// The device's, major and minor.
        found: [u32; 2],
    },
    /// The function has other registers than were declared.
    Registers {
        /// What was declared.
        declared: DeclaredRegisters,
        /// Registers per thread of the function.
        found: u32,
    },
    /// The function has other static shared memory than was declared.
    StaticSmem {
        /// Bytes per block as declared, or as read from the artifact.
        declared: u32,
        /// Of the function.
        found: u32,
    },
    /// The function needs more local memory than the declared limit.
    Local {
        /// Declared limit, in bytes per thread: `max_stack`.
        ceiling: u32,
        /// Of the function.
        found: u32,
    },
    /// The function prefers another carve-out than was declared.
    Carveout {
        /// Percent as declared.
        declared: u32,
        /// Of the function.
        found: u32,
    },
    /// The model and the driver disagree about the blocks per SM. The driver is right.
    BlocksPerSm {
        /// The model's answer; 0 if it says that the launch cannot run.
        model: u32,
        /// The driver's.
        driver: u32,
    },
    /// The model's table and the driver disagree about the device. The driver is right.
    Limit(LimitDifference),
}

/// What was declared of a function's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DeclaredRegisters {
    /// Their number.
    Exactly(u32),
    /// An upper bound.
    AtMost(u32),
    /// Nothing; this is the most with which the requirement still holds.
    Budget(u32),
}

/// The severity of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Severity {
    /// The launch runs and meets the requirement.
    Warning,
    /// The launch cannot run, misses the requirement, or is not the one that was checked.
    Error,
}

/// A difference with its severity.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// Severity of the difference.
    pub severity: Severity,
    /// Difference with both values.
    pub mismatch: Mismatch,
}

impl Mismatch {
    /// Returns the driver's error that the launch would have met, or the nearest to it.
    pub const fn cuda_code(&self) -> i32 {
        use crate::driver::DriverError as Code;
        match self {
            Mismatch::CannotRun { refusal } => match refusal.cuda_error() {
                Some(error) => error.code.cast_signed(),
                None => Code::INVALID_VALUE,
            },
            Mismatch::Occupancy { .. } | Mismatch::NoBlock | Mismatch::Registers { .. } => {
                Code::LAUNCH_OUT_OF_RESOURCES
            }
            Mismatch::NoCluster { .. } | Mismatch::Cluster { .. } => Code::INVALID_CLUSTER_SIZE,
            _ => Code::INVALID_VALUE,
        }
    }

    /// Passes each note about the difference to `f`, without its `= note: `.
    pub(super) fn note(&self, f: &mut dyn FnMut(fmt::Arguments<'_>) -> fmt::Result) -> fmt::Result {
        match self {
            Mismatch::Occupancy { blocks_per_sm, warps_per_block, max_warps_per_sm, limits, .. } => {
                f(format_args!(
                    "the driver holds {} of {} per SM, which has room for {}",
                    Value::Count(u64::from(*blocks_per_sm), "block"),
                    Value::Count(u64::from(*warps_per_block), "warp"),
                    Value::Count(u64::from(*max_warps_per_sm), "warp"),
                ))?;
                match limits {
                    Some(limits) => f(format_args!("{}", BY_RESOURCE.with([Value::Limits(limits)]))),
                    None => Ok(()),
                }
            }
            Mismatch::BlocksPerSm { .. } | Mismatch::Limit(_) => f(format_args!("the driver's number is used")),
            _ => Ok(()),
        }
    }

    /// Passes what to do about the difference to `f`, without its `= help: `.
    pub(super) fn help(&self, f: &mut dyn FnMut(fmt::Arguments<'_>) -> fmt::Result) -> fmt::Result {
        match self {
            Mismatch::Block { launched, .. } => {
                f(format_args!("launch with the spec's block, or declare `block = {}`", Value::Axes(*launched)))
            }
            Mismatch::Cluster { declared: Some(_), launched: None } => f(format_args!(
                "`launch!` and cudarc's builder pass no cluster: compile the kernel with `__cluster_dims__`, or launch \
                 with `LaunchSpec::launch` of the feature `cust`"
            )),
            Mismatch::Cluster { launched: Some(launched), .. } => {
                f(format_args!("declare `cluster = {}`", Value::Axes(*launched)))
            }
            Mismatch::DynamicSmem { launched, .. } => {
                f(format_args!("launch with the spec's shared memory, or declare `dynamic_smem = {launched}`"))
            }
            Mismatch::CannotRun { refusal: Refusal::EmptyGrid { .. } } => {
                f(format_args!("skip the launch when there is no work; an empty grid is an error"))
            }
            Mismatch::CannotRun { refusal: Refusal::RegistersPerBlock { warps, .. } } => f(format_args!(
                "launch a smaller block, or compile the kernel with `__launch_bounds__({})`",
                warps.saturating_mul(32)
            )),
            Mismatch::CannotRun { refusal: Refusal::KernelThreads { threads, most } } => f(format_args!(
                "launch blocks of at most {most} threads, or compile the kernel with `__launch_bounds__({threads})`"
            )),
            Mismatch::CannotRun { refusal: Refusal::GridAxis { axis: Axis::Y | Axis::Z, .. } } => {
                f(format_args!("use x for the longest axis; it takes 2147483647 blocks"))
            }
            Mismatch::CannotRun { refusal: Refusal::PartialCluster { cluster, .. } } => {
                f(format_args!("round the grid up to a multiple of {cluster} blocks along this axis"))
            }
            Mismatch::Occupancy { limits: Some(limits), register_budget: Some(budget), registers, .. }
                if limits.is_limiter(Resource::Registers) && budget < registers =>
            {
                f(format_args!("compile the kernel with at most {budget} registers per thread"))
            }
            Mismatch::Capability { found: [major, minor], .. } if Arch::new(*major, *minor).is_some() => {
                f(format_args!("add `\"sm_{major}{minor}\"` to `arch` to check it at compile time"))
            }
            Mismatch::Registers { declared: DeclaredRegisters::AtMost(most), .. } => f(format_args!(
                "compile the kernel with at most {most} registers per thread, or raise what is declared"
            )),
            Mismatch::Registers { found, .. } => f(format_args!(
                "declare `registers = {found}`, or name the compiled kernel with `cubin`; a driver that compiles PTX \
                 chooses registers itself"
            )),
            Mismatch::StaticSmem { found, .. } => f(format_args!("declare `static_smem = {found}`")),
            Mismatch::Carveout { found, .. } => {
                f(format_args!("declare `carveout = {found}`, or leave it to the spec"))
            }
            Mismatch::BlocksPerSm { .. } | Mismatch::Limit(_) => {
                f(format_args!("report this with the output of `Guard::report`"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Block { declared, launched } => {
                write!(
                    f,
                    "launched with blocks of {}; checked for blocks of {}",
                    Value::Axes(*launched),
                    Value::Axes(*declared)
                )
            }
            Mismatch::Cluster { declared, launched } => {
                write!(f, "launched {}; checked {}", Cluster(*launched), Cluster(*declared))
            }
            Mismatch::DynamicSmem { declared, launched } => {
                let bytes = Value::Count(u64::from(*launched), "byte");
                write!(f, "launched with {bytes} of dynamic shared memory; checked for {declared}")
            }
            Mismatch::CannotRun { refusal } => {
                write!(f, "this launch cannot run: {refusal}")?;
                match refusal.cuda_error() {
                    Some(error) => write!(f, " (`{}`, {})", error.name, error.code),
                    None => Ok(()),
                }
            }
            Mismatch::NoBlock => f.write_str("this launch cannot run: the driver reports 0 blocks per SM"),
            Mismatch::NoCluster { cluster } => {
                write!(f, "this launch cannot run: the device has no room for a cluster of {}", Value::Axes(*cluster))
            }
            Mismatch::Occupancy { required, blocks_per_sm, warps_per_block, max_warps_per_sm, .. } => {
                f.write_str(required.missed(*blocks_per_sm, *warps_per_block, *max_warps_per_sm).as_str())
            }
            Mismatch::Capability { declared, found: [major, minor] } => {
                match declared {
                    [] => f.write_str("checked for no capability")?,
                    archs => write!(f, "checked for {}", Value::Archs(archs))?,
                }
                write!(f, "; launched on sm_{major}{minor}")?;
                let is_known = Arch::new(*major, *minor).is_some();
                f.write_str(if is_known { "" } else { ", which the model does not know" })
            }
            Mismatch::Registers { declared, found } => {
                write!(f, "the function has {found} registers per thread")?;
                match declared {
                    DeclaredRegisters::Exactly(declared) => write!(f, "; {declared} were declared"),
                    DeclaredRegisters::AtMost(most) => write!(f, "; at most {most} were declared"),
                    DeclaredRegisters::Budget(0) => write!(f, "; no number meets the requirement"),
                    DeclaredRegisters::Budget(most) => write!(f, "; at most {most} meet the requirement"),
                }
            }
            Mismatch::StaticSmem { declared, found } => {
                write!(f, "the function has {found} bytes of static shared memory; {declared} were declared")
            }
            Mismatch::Local { ceiling, found } => {
                write!(f, "the function has {found} bytes of local memory per thread; `max_stack` is {ceiling}")
            }
            Mismatch::Carveout { declared, found } => {
                write!(f, "the function prefers a carve-out of {found}%; {declared}% was declared")
            }
            Mismatch::BlocksPerSm { model, driver } => {
                write!(
                    f,
                    "the driver reports {} per SM; the model computes {model}",
                    Value::Count(u64::from(*driver), "block")
                )
            }
            Mismatch::Limit(LimitDifference { attribute, table, driver }) => {
                write!(f, "the driver reports {driver} for `{attribute:?}`; the model's table has {table}")
            }
        }
    }
}

/// `with a cluster of 2`, `without a cluster`.
struct Cluster(Option<[u32; 3]>);

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(axes) => write!(f, "with a cluster of {}", Value::Axes(axes)),
            None => f.write_str("without a cluster"),
        }
    }
}

//! The JSON form of a line in a baseline file.

use crate::image::{KernelImage, Spills, Stack};
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use serde::{Deserialize, Serialize};

/// The version of the file format.
pub(super) const VERSION: u32 = 1;

/// A kernel for one target, with the occupancy of its declared launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The kernel with the values in the file; all others are unknown.
    pub(super) image: KernelImage,
    /// The demangled name.
    pub(super) name: String,
    pub(super) block: Option<[u32; 3]>,
    pub(super) dynamic_smem: Option<u32>,
    /// The occupancy to four decimals, 0.0 for a launch that cannot run.
    pub(super) occupancy: Option<f64>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) kernel: String,
    name: String,
    #[serde(with = "target_name")]
    target: Option<CodeTarget>,
    registers: Option<u32>,
    static_smem: Option<u32>,
    barriers: Option<u32>,
    stack: Option<NumberOr<u32, Unbounded>>,
    spills: Option<SpillBytes>,
    block: Option<[u32; 3]>,
    dynamic_smem: Option<u32>,
    pub(super) occupancy: Option<NumberOr<f64, Refused>>,
}

/// A number, or a word instead of it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum NumberOr<N, W> {
    Number(N),
    Word(W),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unbounded {
    Unbounded,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Refused {
    Refused,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpillBytes {
    stores: u32,
    loads: u32,
}

impl From<&Entry> for Row {
    fn from(entry: &Entry) -> Self {
        let Entry { image, name, block, dynamic_smem, occupancy } = entry;
        Row {
            kernel: (*image.name).to_owned(),
            name: name.clone(),
            target: image.target,
            registers: image.registers,
            static_smem: image.static_smem,
            barriers: image.barriers,
            stack: image.stack.map(|stack| match stack {
                Stack::Bytes(bytes) => NumberOr::Number(bytes),
                Stack::Unbounded => NumberOr::Word(Unbounded::Unbounded),
            }),
            spills: image.spills.map(|Spills { stores, loads }| SpillBytes { stores, loads }),
            block: *block,
            dynamic_smem: *dynamic_smem,
            occupancy: occupancy.map(|occupancy| {
                if occupancy > 0.0 { NumberOr::Number(occupancy) } else { NumberOr::Word(Refused::Refused) }
            }),
        }
    }
}

impl From<Row> for Entry {
    fn from(row: Row) -> Self {
        let image = KernelImage {
            target: row.target,
            registers: row.registers,
            static_smem: row.static_smem,
            barriers: row.barriers,
            stack: row.stack.map(|stack| match stack {
                NumberOr::Number(bytes) => Stack::Bytes(bytes),
                NumberOr::Word(Unbounded::Unbounded) => Stack::Unbounded,
            }),
            spills: row.spills.map(|SpillBytes { stores, loads }| Spills { stores, loads }),
            ..KernelImage::new(row.kernel, Origin::whole(Format::Baseline))
        };
        let occupancy = row.occupancy.map(|occupancy| match occupancy {
            NumberOr::Number(occupancy) => occupancy,
            NumberOr::Word(Refused::Refused) => 0.0,
        });
        Entry { image, name: row.name, block: row.block, dynamic_smem: row.dynamic_smem, occupancy }
    }
}

/// Serializes a target as its name.
mod target_name {
    use crate::target::CodeTarget;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
    pub(super) fn serialize<S: Serializer>(target: &Option<CodeTarget>, serializer: S) -> Result<S::Ok, S::Error> {
        target.map(|target| target.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<CodeTarget>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        // Each target has one valid name, so that reading and writing changes no byte.
        let target = CodeTarget::parse(&name).filter(|target| target.to_string() == name);
        target.map(Some).ok_or_else(|| D::Error::custom(format_args!("`{name}` is not a target such as `sm_80`")))
    }
}

//! Why an artifact could not be read: where, what was expected there, and what was found.

use std::fmt;

/// Why an artifact could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where in the file, in bytes. Inside of something compressed: where that begins.
    pub offset: u64,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file begins like nothing that is read here.
    UnknownFormat,
    /// Something reaches beyond its end.
    Truncated {
        /// What does.
        what: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A field has a value it cannot have.
    Unexpected {
        /// The field.
        what: &'static str,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: u64,
    },
    /// A cubin of a layout that is not known yet: reading it would be guessing.
    UnknownAbi {
        /// Its ABI version; 7 and 8 are known.
        abi: u8,
    },
    /// Reading this needs a feature of the crate that is off.
    NeedsFeature {
        /// What was found.
        what: &'static str,
        /// The feature.
        feature: &'static str,
    },
    /// Reading on would take more memory than 4 × the file + 32 MiB.
    TooLarge {
        /// What would.
        what: &'static str,
        /// Bytes it asks for.
        bytes: u64,
    },
    /// Something compressed cannot be decompressed.
    Decompression {
        /// How it is compressed.
        what: &'static str,
        /// Bytes it must give, neither more nor less.
        bytes: u64,
    },
    /// Something is not what it begins like.
    Damaged {
        /// What it begins like.
        what: &'static str,
    },
    /// An archive that only names other files. Those hold the code.
    ThinArchive,
    /// A host file without a section that holds code for a GPU.
    NoDeviceCode,
    /// There is only code without numbers: link-time code has none before it is linked.
    OnlyLinkTimeCode,
    /// A text has something else where a number or a name must be.
    Malformed {
        /// What could not be read.
        what: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// A log or a text of `cuobjdump` that names no kernel.
    NoKernels,
    /// A log in which `nvcc -rdc=true --resource-usage` says that it shows nothing before device linking.
    BeforeLinking,
}

impl Error {
    pub(crate) fn new(offset: u64, problem: Problem) -> Self {
        Error { offset, problem }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::UnknownFormat => f.write_str(
                "not a cubin, fatbin, host binary, archive, compiler log, `cuobjdump -res-usage` text or PTX",
            ),
            Problem::Truncated { what, needed, available } => {
                write!(f, "{what} at offset {}: {needed} bytes are needed, there are {available}", self.offset)
            }
            Problem::Unexpected { what, expected, found } => {
                write!(f, "{what} at offset {} must be {expected}, it is {found}", self.offset)
            }
            Problem::UnknownAbi { abi } => {
                write!(f, "the cubin at offset {} has ABI version {abi}, only 7 and 8 are known", self.offset)
            }
            Problem::NeedsFeature { what, feature } => {
                write!(f, "{what} at offset {} needs the feature `{feature}`", self.offset)
            }
            Problem::TooLarge { what, bytes } => write!(
                f,
                "{what} at offset {} asks for {bytes} bytes: together more than 4 times the file and 32 MiB",
                self.offset
            ),
            Problem::Decompression { what, bytes } => {
                write!(
                    f,
                    "{what} data at offset {} cannot be decompressed to the {bytes} bytes it should give",
                    self.offset
                )
            }
            Problem::Damaged { what } => write!(f, "{what} at offset {} is damaged", self.offset),
            Problem::ThinArchive => f.write_str("a thin archive only names other files: read those"),
            Problem::NoDeviceCode => f.write_str(
                "no code for a GPU: the host file has no section `.nv_fatbin`, `__nv_relfatbin` or `.nv_fatb`",
            ),
            Problem::OnlyLinkTimeCode => {
                f.write_str("holds only link-time code, whose resources exist once it is linked")
            }
            Problem::Malformed { what, expected } => {
                write!(f, "{what} at offset {} cannot be read, expected {expected}", self.offset)
            }
            Problem::NoKernels => f.write_str("names no kernel with its resources"),
            Problem::BeforeLinking => f.write_str(
                "`nvcc -rdc=true` shows resources when it links: use that log, or compile with `-Xptxas -v`",
            ),
        }
    }
}

impl std::error::Error for Error {}

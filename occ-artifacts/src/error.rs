//! The reasons why an artifact could not be read: where, what was expected there, and what was found.

use std::fmt;

/// The reason why an artifact could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The offset in the file, in bytes. In compressed data: the offset of its first byte.
    pub offset: u64,
    /// The problem there.
    pub problem: Problem,
}

/// A problem of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file is of no supported format.
    UnknownFormat,
    /// A part of the file reaches beyond its end.
    Truncated {
        /// The part.
        what: &'static str,
        /// The size of the part, in bytes.
        needed: u64,
        /// The bytes that are left of the file or of what the part is in.
        available: u64,
    },
    /// A field has an invalid value.
    Unexpected {
        /// The field.
        what: &'static str,
        /// The valid values.
        expected: &'static str,
        /// The value in the file.
        found: u64,
    },
    /// A cubin has an unknown layout, so reading it would be guessing.
    UnknownAbi {
        /// The ABI version of the cubin; 7 and 8 are supported.
        abi: u8,
    },
    /// A feature of the crate that reads this is disabled.
    NeedsFeature {
        /// The part that was found.
        what: &'static str,
        /// The name of the feature.
        feature: &'static str,
    },
    /// Reading would take more memory than 4 × the file size + 32 MiB.
    TooLarge {
        /// The part that takes it.
        what: &'static str,
        /// The memory for that part, in bytes.
        bytes: u64,
    },
    /// Compressed data is damaged, or its content has another size than declared.
    Decompression {
        /// The kind of compression.
        what: &'static str,
        /// The declared size of the content, in bytes.
        bytes: u64,
    },
    /// A file starts like a format, but the rest of it is invalid.
    Damaged {
        /// The format.
        what: &'static str,
    },
    /// The file is a thin archive, which holds only the names of other files.
    ThinArchive,
    /// A host file has no section with GPU code.
    NoDeviceCode,
    /// The file holds only link-time code, which has no resources before it is linked.
    OnlyLinkTimeCode,
    /// A text has a malformed number or name.
    Malformed {
        /// The part that could not be read.
        what: &'static str,
        /// The form it should have.
        expected: &'static str,
    },
    /// A compiler log or a text of `cuobjdump` names no kernel.
    NoKernels,
    /// The log of `nvcc -rdc=true --resource-usage` states that it prints no resources before device linking.
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
                write!(f, "{what} at offset {} must have {needed} bytes; only {available} are left", self.offset)
            }
            Problem::Unexpected { what, expected, found } => {
                write!(f, "{what} at offset {} is {found}; expected {expected}", self.offset)
            }
            Problem::UnknownAbi { abi } => {
                write!(f, "the cubin at offset {} has ABI version {abi}; only 7 and 8 are supported", self.offset)
            }
            Problem::NeedsFeature { what, feature } => {
                write!(f, "{what} at offset {} needs the feature `{feature}`", self.offset)
            }
            Problem::TooLarge { what, bytes } => write!(
                f,
                "{what} at offset {} would take {bytes} bytes; reading may take at most 4 times the file size and 32 MiB",
                self.offset
            ),
            Problem::Decompression { what, bytes } => {
                write!(f, "{what} data at offset {} does not decompress to the declared {bytes} bytes", self.offset)
            }
            Problem::Damaged { what } => write!(f, "{what} at offset {} is damaged", self.offset),
            Problem::ThinArchive => f.write_str("a thin archive holds only the names of other files; read those files"),
            Problem::NoDeviceCode => {
                f.write_str("no GPU code; the host file has no section `.nv_fatbin`, `__nv_relfatbin` or `.nv_fatb`")
            }
            Problem::OnlyLinkTimeCode => {
                f.write_str("only link-time code found; it has no resources before it is linked")
            }
            Problem::Malformed { what, expected } => {
                write!(f, "{what} at offset {} cannot be read; expected {expected}", self.offset)
            }
            Problem::NoKernels => f.write_str("no kernel with resources found"),
            Problem::BeforeLinking => f.write_str(
                "`nvcc -rdc=true` prints resources when it links; use that log, or compile with `-Xptxas -v`",
            ),
        }
    }
}

impl std::error::Error for Error {}

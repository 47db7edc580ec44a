//! Reads an artifact of any kind, which its first bytes identify.

use crate::budget::Budget;
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::fatbin::Section;
use crate::image::KernelImage;
use crate::images::{Images, Selection};
use crate::origin::{Format, Origin};
use crate::{cubin, fatbin};

/// Returns every kernel in an artifact, in its order.
///
/// The content tells the format: a cubin or a fatbin; with the feature `text` PTX, the log of `ptxas -v` or the text of
/// `cuobjdump -res-usage`; with the feature `containers` a host binary, object or archive that holds fatbins. A kernel
/// compiled for several targets occurs once for each. An artifact without kernels gives an empty list.
///
/// The bytes need not be trusted: reading takes at most 4 times their length and 32 MiB of memory, and time proportional
/// to the length.
///
/// # Errors
///
/// Returns [`Problem::UnknownFormat`] for any other format, [`Problem::NeedsFeature`] for formats of disabled features,
/// [`Problem::OnlyLinkTimeCode`] for code that has no resources before it is linked, and otherwise the damaged part with its
/// offset. On error no partial list is returned.
///
/// ```
/// use occ_artifacts::{Problem, read};
///
/// let error = read(b"GIF89a").unwrap_err();
/// assert_eq!(error.problem, Problem::UnknownFormat);
/// ```
pub fn read(bytes: &[u8]) -> Result<Vec<KernelImage>, Error> {
    read_selected(bytes, Selection::All)
}

/// Returns every kernel in an artifact except those in the PTX of fatbins, which saves time where there is much PTX.
///
/// These are the kernels that `cuobjdump -res-usage` lists. Minimum blocks per SM, which only PTX tells, stay unknown.
///
/// # Errors
///
/// Returns the errors of [`read`].
///
/// ```
/// use occ_artifacts::read_machine_code;
///
/// // A fatbin of one PTX entry.
/// let ptx = b".version 8.0\n.target sm_80\n.entry k() { ret; }\n\0\0";
/// let mut fatbin = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 64 + ptx.len() as u8, 0, 0, 0, 0, 0, 0, 0];
/// fatbin.extend([1, 0, 1, 1, 64, 0, 0, 0, ptx.len() as u8]);
/// fatbin.resize(16 + 64, 0);
/// fatbin[16 + 0x1c] = 80;
/// fatbin.extend(ptx);
/// assert_eq!(read_machine_code(&fatbin).unwrap().len(), 0);
/// assert_eq!(occ_artifacts::read(&fatbin).unwrap().len(), usize::from(cfg!(feature = "text")));
/// ```
pub fn read_machine_code(bytes: &[u8]) -> Result<Vec<KernelImage>, Error> {
    read_selected(bytes, Selection::MachineCode)
}

fn read_selected(bytes: &[u8], selection: Selection) -> Result<Vec<KernelImage>, Error> {
    let budget = Budget::for_file(bytes.len());
    let mut images = Images::new(&budget, selection);
    let bytes = Bytes::new(bytes, 0);
    let has_link_time_code = match Kind::detect(bytes)? {
        Kind::Cubin => {
            cubin::read(bytes, None, &Origin::whole(Format::Cubin), &mut images)?;
            false
        }
        Kind::Fatbin => {
            let origin = Origin::whole(Format::Cubin);
            fatbin::read(&[Section { bytes, origin }], &mut images)?
        }
        Kind::Host(what) => read_host(bytes, what, &mut images)?,
        Kind::Text if read_text(bytes, &mut images)? => false,
        Kind::Text => return Err(Error::new(0, Problem::UnknownFormat)),
    };
    let list = images.into_list();
    if list.is_empty() && has_link_time_code {
        return Err(Error::new(0, Problem::OnlyLinkTimeCode));
    }
    Ok(list)
}

/// A kind of artifact.
enum Kind {
    Cubin,
    Fatbin,
    /// A host file, with its name in errors.
    Host(&'static str),
    /// Anything else, which can be a text.
    Text,
}

impl Kind {
    fn detect(bytes: Bytes<'_>) -> Result<Kind, Error> {
        const COFF_X64: [u8; 2] = 0x8664_u16.to_le_bytes();
        const COFF_ARM64: [u8; 2] = 0xaa64_u16.to_le_bytes();
        // An object with too many sections for 16 bits.
        const COFF_BIG: [u8; 4] = [0, 0, 0xff, 0xff];
        let starts_with = |magic: &[u8]| bytes.data.starts_with(magic);
        Ok(if starts_with(b"\x7fELF") {
            match bytes.u16(0x12, "an ELF header")? {
                cubin::EM_CUDA => Kind::Cubin,
                _ => Kind::Host("an ELF host file"),
            }
        } else if starts_with(&fatbin::MAGIC.to_le_bytes()) {
            Kind::Fatbin
        } else if starts_with(b"!<arch>\n") || starts_with(b"!<thin>\n") {
            Kind::Host("an archive")
        } else if starts_with(b"MZ") {
            Kind::Host("a PE file")
        } else if starts_with(&COFF_X64) || starts_with(&COFF_ARM64) || starts_with(&COFF_BIG) {
            Kind::Host("a COFF object")
        } else {
            Kind::Text
        })
    }
}

#[cfg(feature = "containers")]
fn read_host(bytes: Bytes<'_>, _: &'static str, images: &mut Images<'_>) -> Result<bool, Error> {
    fatbin::read(&crate::host::sections(bytes, images.budget())?, images)
}

#[cfg(not(feature = "containers"))]
fn read_host(_: Bytes<'_>, what: &'static str, _: &mut Images<'_>) -> Result<bool, Error> {
    Err(Error::new(0, Problem::NeedsFeature { what, feature: "containers" }))
}

#[cfg(feature = "text")]
use crate::text::read as read_text;

/// Tells texts that need the feature `text` from unknown formats.
#[cfg(not(feature = "text"))]
fn read_text(bytes: Bytes<'_>, _: &mut Images<'_>) -> Result<bool, Error> {
    let begin = bytes.data.get(..512).unwrap_or(bytes.data);
    if std::str::from_utf8(begin)
        .is_ok_and(|text| text.contains("ptxas") || text.contains("Resource usage") || text.contains(".version"))
    {
        return Err(Error::new(0, Problem::NeedsFeature { what: "a text", feature: "text" }));
    }
    Ok(false)
}

//! Reads entries that are not compressed.

use super::entry::{Kind, Section, entries};
use crate::error::{Error, Problem};
use crate::images::Images;

/// Adds the kernels of all containers. Returns whether a container holds link-time code.
pub(crate) fn read(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let mut has_link_time_code = false;
    let mut unread = None;
    for section in sections {
        for entry in entries(section.bytes) {
            let entry = entry?;
            has_link_time_code |= entry.kind == Kind::LinkTimeCode;
            if !entry.is_selected(images.selection()) {
                continue;
            }
            if entry.compression.is_some() {
                let (what, feature) = ("a compressed fatbin entry", "containers");
                let needs = Error::new(entry.payload.start, Problem::NeedsFeature { what, feature });
                // `nvcc` compresses PTX by default; the resources of machine code are in the cubins.
                match entry.kind {
                    Kind::Ptx => unread = unread.or(Some(needs)),
                    _ => return Err(needs),
                }
                continue;
            }
            entry.read(entry.payload, &section.origin, images)?;
        }
    }
    match unread {
        Some(needs) if images.is_empty() => Err(needs),
        _ => Ok(has_link_time_code),
    }
}

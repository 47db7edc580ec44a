//! The layout of fatbins: containers, their entries, and the members of groups.

use crate::bytes::Bytes;
use crate::compression::Compression;
#[cfg(feature = "containers")]
use crate::compression::Decompressor;
use crate::cubin;
use crate::error::{Error, Problem};
use crate::images::{Images, Selection};
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
#[cfg(feature = "text")]
use crate::text::ptx;
use occ_core::{Code, Portability};

/// The magic number of a container.
pub(crate) const MAGIC: u32 = 0xba55_ed50;

const CONTAINER_HEADER: u64 = 16;
/// The size of an entry's header without names and options, in bytes.
const ENTRY_HEADER: u64 = 64;

const HEADER: &str = "the header of a fatbin entry";
const TABLE: &str = "the table of a fatbin group";

/// Adjacent containers, with their origin.
pub(crate) struct Section<'a> {
    pub(crate) bytes: Bytes<'a>,
    pub(crate) origin: Origin,
}

/// An entry of a container, or a member of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) kind: Kind,
    /// The target of the code; meaningless for a group.
    pub(crate) target: CodeTarget,
    pub(crate) compression: Option<Compression>,
    /// The stored bytes. An uncompressed payload is padded with zeros to a multiple of 8 bytes.
    pub(crate) payload: Bytes<'a>,
    /// The declared size of the decompressed payload, in bytes; 0 if it is not compressed.
    pub(crate) uncompressed_size: u64,
    /// The index of the container, from 0.
    pub(crate) container: u32,
    /// The index of the entry in its container, from 0.
    pub(crate) index: u32,
    header: Bytes<'a>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ptx,
    Cubin,
    /// Intermediate code that the linker compiles. It has no resources yet.
    LinkTimeCode,
    /// Several cubins, one after another.
    Group,
    /// An unknown kind, which is skipped.
    Other,
}

/// Returns the entries of adjacent containers in file order; the iterator ends after the first error.
pub(crate) fn entries(bytes: Bytes<'_>) -> impl Iterator<Item = Result<Entry<'_>, Error>> {
    let mut walk = Walk { rest: bytes, entries: Bytes::new(&[], bytes.start), containers: 0, index: 0 };
    std::iter::from_fn(move || {
        let next = walk.next().transpose()?;
        if next.is_err() {
            walk = Walk { rest: Bytes::new(&[], 0), entries: Bytes::new(&[], 0), ..walk };
        }
        Some(next)
    })
}

/// The state of an iteration over containers.
struct Walk<'a> {
    /// The bytes after the current container.
    rest: Bytes<'a>,
    /// The remaining entries of the current container.
    entries: Bytes<'a>,
    /// The number of containers up to and including the current one.
    containers: u32,
    /// The index of the next entry in the current container.
    index: u32,
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Result<Option<Entry<'a>>, Error> {
        while self.entries.data.is_empty() {
            let Some(rest) = skip_zeros(self.rest) else {
                return Ok(None);
            };
            (self.entries, self.rest) = container(rest)?;
            self.containers += 1;
            self.index = 0;
        }
        let (entry, rest) = Entry::first(self.entries, self.containers - 1, self.index)?;
        self.entries = rest;
        self.index += 1;
        Ok(Some(entry))
    }
}

/// Skips the zeros that can follow a container; `None` if nothing else is left.
fn skip_zeros(bytes: Bytes<'_>) -> Option<Bytes<'_>> {
    let zeros = bytes.data.iter().position(|&byte| byte != 0)?;
    Some(Bytes::new(bytes.data.get(zeros..)?, bytes.start + zeros as u64))
}

/// Returns the entries of the first container, and the bytes after it.
fn container(bytes: Bytes<'_>) -> Result<(Bytes<'_>, Bytes<'_>), Error> {
    const WHAT: &str = "a fatbin header";
    let unexpected =
        |at, what, expected, found| Err(Error::new(bytes.start + at, Problem::Unexpected { what, expected, found }));
    let magic = bytes.u32(0, WHAT)?;
    if magic != MAGIC {
        let expected = "zeros or the magic number of another fatbin, 0xba55ed50";
        return unexpected(0, "what follows a fatbin", expected, magic.into());
    }
    let version = bytes.u16(4, WHAT)?;
    if version != 1 {
        return unexpected(4, "the version of a fatbin", "1", version.into());
    }
    let header = bytes.u16(6, WHAT)?.into();
    if header < CONTAINER_HEADER {
        return unexpected(6, "the header size of a fatbin", "at least 16", header);
    }
    let size = bytes.u64(8, WHAT)?;
    split(bytes, header, size, "a fatbin")
}

/// Returns the `size` bytes at `from`, and the bytes after them.
fn split<'a>(bytes: Bytes<'a>, from: u64, size: u64, what: &'static str) -> Result<(Bytes<'a>, Bytes<'a>), Error> {
    let part = bytes.part(from, size, what)?;
    let end = from + size;
    Ok((part, bytes.part(end, bytes.data.len() as u64 - end, what)?))
}

impl<'a> Entry<'a> {
    /// Returns the first entry in `bytes`, and the bytes after it.
    fn first(bytes: Bytes<'a>, container: u32, index: u32) -> Result<(Self, Bytes<'a>), Error> {
        let header_size = bytes.u32(4, HEADER)?.into();
        if header_size < ENTRY_HEADER {
            let (what, expected) = ("the header size of a fatbin entry", "at least 64");
            return Err(Error::new(bytes.start + 4, Problem::Unexpected { what, expected, found: header_size }));
        }
        let header = bytes.part(0, header_size, HEADER)?;
        let (payload, rest) = split(bytes, header_size, header.u64(8, HEADER)?, "a fatbin entry")?;
        let mut entry = Entry::from_header(header, payload, container, index)?;
        entry.compression = compression(header)?;
        if entry.compression.is_some() {
            entry.payload = payload.part(0, header.u32(0x10, HEADER)?.into(), "a compressed fatbin entry")?;
            entry.uncompressed_size = header.u64(0x38, HEADER)?;
        }
        Ok((entry, rest))
    }

    fn from_header(header: Bytes<'a>, payload: Bytes<'a>, container: u32, index: u32) -> Result<Self, Error> {
        let kind = match header.u16(0, HEADER)? {
            1 => Kind::Ptx,
            2 => Kind::Cubin,
            8 => Kind::LinkTimeCode,
            0x100 => Kind::Group,
            _ => Kind::Other,
        };
        let target = CodeTarget {
            number: header.u32(0x1c, HEADER)?,
            code: if kind == Kind::Ptx { Code::Ptx } else { Code::Binary },
            portability: portability(header.u64(0x28, HEADER)?),
        };
        Ok(Entry { kind, target, compression: None, payload, uncompressed_size: 0, container, index, header })
    }

    /// Returns the payload, decompressed if necessary.
    #[cfg(feature = "containers")]
    pub(crate) fn content<'c>(&'c self, decompressor: &'c mut Decompressor<'_>) -> Result<Bytes<'c>, Error> {
        match self.compression {
            None => Ok(self.payload),
            Some(compression) => decompressor.decompress(self.payload, compression, self.uncompressed_size),
        }
    }

    /// Returns whether the entry can hold selected kernels.
    pub(crate) fn is_selected(&self, selection: Selection) -> bool {
        match self.kind {
            Kind::Cubin | Kind::Group => true,
            Kind::Ptx => selection == Selection::All,
            Kind::LinkTimeCode | Kind::Other => false,
        }
    }

    /// Adds the kernels in `content`, the decompressed payload. `origin` is that of the containers.
    pub(crate) fn read(&self, content: Bytes<'_>, origin: &Origin, images: &mut Images<'_>) -> Result<(), Error> {
        let origin = Origin {
            container: Some(self.container),
            entry: Some(self.index),
            offset: self.payload.start,
            ..origin.clone()
        };
        // Offsets in decompressed data mean nothing to a reader of the file.
        self.read_content(content, origin, images).map_err(|error| match self.compression {
            Some(_) => Error { offset: self.payload.start, ..error },
            None => error,
        })
    }

    fn read_content(&self, content: Bytes<'_>, origin: Origin, images: &mut Images<'_>) -> Result<(), Error> {
        if self.kind != Kind::Group {
            return self.read_code(content, origin, images);
        }
        for member in self.members(content)? {
            let member = member?;
            member.read_code(member.payload, origin.clone(), images)?;
        }
        Ok(())
    }

    /// Adds the kernels of one cubin or PTX.
    fn read_code(&self, content: Bytes<'_>, origin: Origin, images: &mut Images<'_>) -> Result<(), Error> {
        match self.kind {
            #[cfg(feature = "text")]
            Kind::Ptx => ptx::read(without_padding(content), &Origin { format: Format::Ptx, ..origin }, images),
            Kind::Cubin => cubin::read(content, Some(self.target), &Origin { format: Format::Cubin, ..origin }, images),
            // The resources of machine code are in the cubins.
            #[cfg(not(feature = "text"))]
            Kind::Ptx => Ok(()),
            Kind::LinkTimeCode | Kind::Group | Kind::Other => Ok(()),
        }
    }

    /// Returns the members of a group. Their headers are a table in the header of the group; their code is in `stream`.
    fn members<'s>(&self, stream: Bytes<'s>) -> Result<impl Iterator<Item = Result<Entry<'s>, Error>>, Error>
    where
        'a: 's,
    {
        let header = self.header;
        let count = header.u32(ENTRY_HEADER, TABLE)?;
        let size = header.u32(ENTRY_HEADER + 4, TABLE)?;
        let table = header.part(ENTRY_HEADER, size.into(), TABLE)?;
        let mut at = 8;
        // In a valid file members do not overlap, so their sum is at most the size of the stream.
        let mut unread = stream.data.len() as u64;
        let (container, index) = (self.container, self.index);
        Ok((0..count).map(move |_| {
            let header = member_header(table, at)?;
            at += header.data.len() as u64;
            let (offset, size) = (header.u32(4, HEADER)?, header.u64(8, HEADER)?);
            let payload = stream.part(offset.into(), size, "a member of a fatbin group")?;
            unread = unread.checked_sub(size).ok_or_else(|| {
                let (what, needed) = ("the members of a fatbin group together", size);
                Error::new(header.start, Problem::Truncated { what, needed, available: unread })
            })?;
            Entry::from_header(header, payload, container, index)
        }))
    }
}

/// Returns the header of the member at `at` in the table of a group. It extends to the end of its last text.
fn member_header(table: Bytes<'_>, at: u64) -> Result<Bytes<'_>, Error> {
    let rest = table.part(at, (table.data.len() as u64).saturating_sub(at), TABLE)?;
    let end_of_text = |offset: u32, length: u32| match offset {
        0 => 0,
        _ => u64::from(offset) + (u64::from(length) + 1).next_multiple_of(8),
    };
    let name = end_of_text(rest.u32(0x20, TABLE)?, rest.u32(0x24, TABLE)?);
    let options = match rest.u32(0x14, TABLE)? {
        0 => 0,
        record => {
            let record = u64::from(record);
            end_of_text(rest.u32(record, TABLE)?, rest.u32(record + 4, TABLE)?)
        }
    };
    rest.part(0, ENTRY_HEADER.max(name).max(options), TABLE)
}

fn compression(header: Bytes<'_>) -> Result<Option<Compression>, Error> {
    let flags = header.u64(0x28, HEADER)?;
    match (flags & 0x2000 != 0, flags & 0x8000 != 0) {
        (false, false) => Ok(None),
        (true, false) => Ok(Some(Compression::Lz4)),
        (false, true) => Ok(Some(Compression::Zstd)),
        (true, true) => {
            let (what, expected) = ("the flag word of a fatbin entry", "at most one kind of compression");
            Err(Error::new(header.start + 0x28, Problem::Unexpected { what, expected, found: flags }))
        }
    }
}

fn portability(flags: u64) -> Portability {
    if flags & 0x10_0000 != 0 {
        Portability::Specific
    } else if flags & 0x20_0000 != 0 {
        Portability::Family
    } else {
        Portability::Base
    }
}

/// Removes the zeros that pad PTX.
#[cfg(feature = "text")]
fn without_padding(bytes: Bytes<'_>) -> Bytes<'_> {
    let end = bytes.data.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    Bytes::new(bytes.data.get(..end).unwrap_or_default(), bytes.start)
}

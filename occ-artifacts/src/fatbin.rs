//! Fatbins: containers of cubins, PTX and link-time code, one entry a target.

#[cfg(feature = "containers")]
use crate::budget::Budget;
use crate::bytes::Bytes;
use crate::compression::Compression;
#[cfg(feature = "containers")]
use crate::compression::Decompressor;
use crate::cubin;
use crate::error::{Error, Problem};
#[cfg(feature = "containers")]
use crate::image::KernelImage;
use crate::images::{Images, Wanted};
use crate::origin::{Format, Origin};
#[cfg(feature = "containers")]
use crate::parallel;
use crate::target::CodeTarget;
#[cfg(feature = "text")]
use crate::text::ptx;
use occ_core::{Code, Portability};
#[cfg(feature = "containers")]
use std::thread;

/// What a container begins with.
pub(crate) const MAGIC: u32 = 0xba55_ed50;

const CONTAINER_HEADER: u64 = 16;
/// What every entry's header has; names and options may follow in it.
const ENTRY_HEADER: u64 = 64;

const HEADER: &str = "the header of a fatbin entry";
const TABLE: &str = "the table of a fatbin group";

/// An entry of a container, or a member of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) kind: Kind,
    /// What its code was built for. A group has none of its own.
    pub(crate) target: CodeTarget,
    pub(crate) compression: Option<Compression>,
    /// What is stored: of something compressed exactly that, else with zeros up to a multiple of 8 bytes.
    pub(crate) payload: Bytes<'a>,
    /// Bytes of it when decompressed, as declared; 0 if it is not compressed.
    pub(crate) uncompressed_size: u64,
    /// Which container, from 0.
    pub(crate) container: u32,
    /// Which entry of it, from 0.
    pub(crate) index: u32,
    header: Bytes<'a>,
}

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ptx,
    Cubin,
    /// Code for the linker to compile: it has no resources yet.
    LinkTimeCode,
    /// Several cubins, one after another.
    Group,
    /// Not known, to be skipped.
    Other,
}

/// Containers that stand back to back, and where that is.
pub(crate) struct Section<'a> {
    pub(crate) bytes: Bytes<'a>,
    pub(crate) place: Origin,
}

/// Adds the kernels of all containers. Returns whether there is link-time code too.
#[cfg(feature = "containers")]
pub(crate) fn read(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let budget = images.budget();
    let (state, count) = (budget.state(), images.count());
    let workers = workers(sections, budget, images.wanted());
    if workers == 1 {
        return read_alone(sections, images);
    }
    match read_with(workers, sections, images) {
        // Threads hold more at once: whether that is too much must not depend on how they ran.
        Err(Error { problem: Problem::TooLarge { .. }, .. }) => {
            images.truncate(count);
            budget.restore(state);
            read_alone(sections, images)
        }
        result => result,
    }
}

#[cfg(feature = "containers")]
fn read_alone(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let decompressor = &mut Decompressor::new(images.budget());
    let mut has_link_time_code = false;
    for (entry, place) in all_entries(sections) {
        let entry = entry?;
        has_link_time_code |= entry.kind == Kind::LinkTimeCode;
        if entry.is_wanted(images.wanted()) {
            entry.read(entry.content(decompressor)?, place, images)?;
        }
    }
    Ok(has_link_time_code)
}

#[cfg(feature = "containers")]
fn read_with(workers: usize, sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let (budget, wanted) = (images.budget(), images.wanted());
    let work = |decompressor: &mut Decompressor<'_>, (entry, place): (Result<Entry<'_>, Error>, &Origin)| {
        let entry = entry?;
        let mut images = Images::part(budget, wanted);
        if entry.is_wanted(wanted) {
            entry.read(entry.content(decompressor)?, place, &mut images)?;
        }
        // It may have to wait for the entries before.
        let mut list = images.into_list();
        list.shrink_to_fit();
        Ok((entry.kind, list))
    };
    let mut has_link_time_code = false;
    let deliver = |result: Result<(Kind, Vec<KernelImage>), Error>| {
        let (kind, list) = result?;
        has_link_time_code |= kind == Kind::LinkTimeCode;
        images.append(list);
        Ok(())
    };
    parallel::in_order(workers, all_entries(sections), || Decompressor::new(budget), work, deliver)?;
    Ok(has_link_time_code)
}

/// How many threads shall read: one, unless there is much to decompress, and room for it.
#[cfg(feature = "containers")]
fn workers(sections: &[Section<'_>], budget: &Budget, wanted: Wanted) -> usize {
    const MUCH: u64 = 1 << 20;
    let sizes = || {
        all_entries(sections)
            .filter_map(|(entry, _)| entry.ok())
            .filter(|entry| entry.is_wanted(wanted) && entry.compression.is_some())
            .map(|entry| entry.uncompressed_size)
    };
    let all = sizes().fold(0, u64::saturating_add);
    let largest = sizes().max().unwrap_or(0);
    if all < MUCH {
        return 1;
    }
    let room = usize::try_from(budget.left() / 2 / largest).unwrap_or(usize::MAX);
    thread::available_parallelism().map_or(1, usize::from).min(room).max(1)
}

#[cfg(feature = "containers")]
fn all_entries<'s, 'a>(sections: &'s [Section<'a>]) -> impl Iterator<Item = (Result<Entry<'a>, Error>, &'s Origin)> {
    sections.iter().flat_map(|section| entries(section.bytes).map(|entry| (entry, &section.place)))
}

/// Adds the kernels of all containers. Returns whether there is link-time code too.
#[cfg(not(feature = "containers"))]
pub(crate) fn read(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let mut has_link_time_code = false;
    let mut unread = None;
    for section in sections {
        for entry in entries(section.bytes) {
            let entry = entry?;
            has_link_time_code |= entry.kind == Kind::LinkTimeCode;
            if !entry.is_wanted(images.wanted()) {
                continue;
            }
            if entry.compression.is_some() {
                let (what, feature) = ("a compressed fatbin entry", "containers");
                let needs = Error::new(entry.payload.start, Problem::NeedsFeature { what, feature });
                // `nvcc` compresses PTX unasked. Of machine code, the cubins tell all there is to know.
                match entry.kind {
                    Kind::Ptx => unread = unread.or(Some(needs)),
                    _ => return Err(needs),
                }
                continue;
            }
            entry.read(entry.payload, &section.place, images)?;
        }
    }
    match unread {
        Some(needs) if images.is_empty() => Err(needs),
        _ => Ok(has_link_time_code),
    }
}

/// The entries of containers that stand back to back, in their order. Nothing follows an error.
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

/// Where a walk over containers stands.
struct Walk<'a> {
    /// What follows the container.
    rest: Bytes<'a>,
    /// What is left of the container.
    entries: Bytes<'a>,
    /// Containers begun.
    containers: u32,
    /// Entries of this container that were passed.
    index: u32,
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Result<Option<Entry<'a>>, Error> {
        while self.entries.data.is_empty() {
            let Some(rest) = without_zeros(self.rest) else {
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

/// What is left from the first byte on that is not 0. Zeros can follow a container.
fn without_zeros(bytes: Bytes<'_>) -> Option<Bytes<'_>> {
    let zeros = bytes.data.iter().position(|&byte| byte != 0)?;
    Some(Bytes::new(bytes.data.get(zeros..)?, bytes.start + zeros as u64))
}

/// The entries of the first container, and what follows it.
fn container(bytes: Bytes<'_>) -> Result<(Bytes<'_>, Bytes<'_>), Error> {
    const WHAT: &str = "a fatbin header";
    let unexpected =
        |at, what, expected, found| Err(Error::new(bytes.start + at, Problem::Unexpected { what, expected, found }));
    let magic = bytes.u32(0, WHAT)?;
    if magic != MAGIC {
        let expected = "zeros or another one, which begins with 0xba55ed50";
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

/// The part of `size` bytes at `from`, and what follows it.
fn split<'a>(bytes: Bytes<'a>, from: u64, size: u64, what: &'static str) -> Result<(Bytes<'a>, Bytes<'a>), Error> {
    let part = bytes.part(from, size, what)?;
    let end = from + size;
    Ok((part, bytes.part(end, bytes.data.len() as u64 - end, what)?))
}

impl<'a> Entry<'a> {
    /// The first entry in `bytes`, and what follows it.
    fn first(bytes: Bytes<'a>, container: u32, index: u32) -> Result<(Self, Bytes<'a>), Error> {
        let header_size = bytes.u32(4, HEADER)?.into();
        if header_size < ENTRY_HEADER {
            let (what, expected) = ("the header size of a fatbin entry", "at least 64");
            return Err(Error::new(bytes.start + 4, Problem::Unexpected { what, expected, found: header_size }));
        }
        let header = bytes.part(0, header_size, HEADER)?;
        let (payload, rest) = split(bytes, header_size, header.u64(8, HEADER)?, "a fatbin entry")?;
        let mut entry = Entry::of_header(header, payload, container, index)?;
        entry.compression = compression(header)?;
        if entry.compression.is_some() {
            entry.payload = payload.part(0, header.u32(0x10, HEADER)?.into(), "a compressed fatbin entry")?;
            entry.uncompressed_size = header.u64(0x38, HEADER)?;
        }
        Ok((entry, rest))
    }

    fn of_header(header: Bytes<'a>, payload: Bytes<'a>, container: u32, index: u32) -> Result<Self, Error> {
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

    /// Returns what is in it: its payload, or what that is decompressed to.
    #[cfg(feature = "containers")]
    fn content<'c>(&'c self, decompressor: &'c mut Decompressor<'_>) -> Result<Bytes<'c>, Error> {
        match self.compression {
            None => Ok(self.payload),
            Some(compression) => decompressor.decompress(self.payload, compression, self.uncompressed_size),
        }
    }

    /// Whether it can hold kernels that are wanted.
    fn is_wanted(&self, wanted: Wanted) -> bool {
        match self.kind {
            Kind::Cubin | Kind::Group => true,
            Kind::Ptx => wanted == Wanted::All,
            Kind::LinkTimeCode | Kind::Other => false,
        }
    }

    /// Adds the kernels in `content`, which is the payload, decompressed if it was compressed. `place` says where the
    /// containers are.
    pub(crate) fn read(&self, content: Bytes<'_>, place: &Origin, images: &mut Images<'_>) -> Result<(), Error> {
        let origin = Origin {
            container: Some(self.container),
            entry: Some(self.index),
            offset: self.payload.start,
            ..place.clone()
        };
        // What is inside of something compressed has no place of its own in the file.
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
            // Of machine code, the cubins tell all there is to know.
            #[cfg(not(feature = "text"))]
            Kind::Ptx => Ok(()),
            Kind::LinkTimeCode | Kind::Group | Kind::Other => Ok(()),
        }
    }

    /// The members of a group, whose headers are a table in its own header, and whose code is in `stream`.
    fn members<'s>(&self, stream: Bytes<'s>) -> Result<impl Iterator<Item = Result<Entry<'s>, Error>>, Error>
    where
        'a: 's,
    {
        let header = self.header;
        let count = header.u32(ENTRY_HEADER, TABLE)?;
        let size = header.u32(ENTRY_HEADER + 4, TABLE)?;
        let table = header.part(ENTRY_HEADER, size.into(), TABLE)?;
        let mut at = 8;
        // Members do not overlap: together they are not larger than the stream.
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
            Entry::of_header(header, payload, container, index)
        }))
    }
}

/// A member's header at this place in the table of a group. It ends where the last text in it ends.
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
            let (what, expected) = ("the flags of a fatbin entry", "of one kind of compression");
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

/// PTX without the zeros that fill it up.
#[cfg(feature = "text")]
fn without_padding(bytes: Bytes<'_>) -> Bytes<'_> {
    let end = bytes.data.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    Bytes::new(bytes.data.get(..end).unwrap_or_default(), bytes.start)
}

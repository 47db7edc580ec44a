//! The ELF structure of cubins: 64 bits, little-endian; section headers and symbols.

use crate::bytes::Bytes;
use crate::error::{Error, Problem};

const SECTION_HEADER: u64 = 64;
const SYMBOL: u64 = 24;
/// Marks an index that does not fit into 16 bits and is stored elsewhere (`SHN_XINDEX`).
const XINDEX: u16 = 0xffff;

/// A 64-bit little-endian ELF file.
#[derive(Clone, Copy)]
pub(super) struct Elf<'a> {
    pub(super) bytes: Bytes<'a>,
    /// The ABI version (`EI_ABIVERSION`).
    pub(super) abi: u8,
    pub(super) e_type: u16,
    pub(super) e_version: u32,
    pub(super) e_flags: u32,
    headers: Bytes<'a>,
    names: Bytes<'a>,
}

/// The fields of a section header that are read.
#[derive(Clone, Copy)]
pub(super) struct Section {
    name: u32,
    pub(super) kind: u32,
    pub(super) flags: u64,
    offset: u64,
    pub(super) size: u64,
    pub(super) link: u32,
    pub(super) info: u32,
}

impl<'a> Elf<'a> {
    pub(super) fn new(bytes: Bytes<'a>) -> Result<Self, Error> {
        let identity = bytes.part(0, 16, "an ELF header")?.data;
        for (field, what, expected, wanted) in [
            (4, "the class of a cubin's ELF header", "2 (64 bits)", 2),
            (5, "the byte order of a cubin's ELF header", "1 (little-endian)", 1),
        ] {
            let found = identity[field];
            if found != wanted {
                let problem = Problem::Unexpected { what, expected, found: found.into() };
                return Err(Error::new(bytes.start + field as u64, problem));
            }
        }
        let header_size = bytes.u16(0x3a, "an ELF header")?;
        let at = bytes.u64(0x28, "an ELF header")?;
        let mut count = bytes.u16(0x3c, "an ELF header")?.into();
        let mut names = bytes.u16(0x3e, "an ELF header")?.into();
        if u64::from(header_size) != SECTION_HEADER {
            let what = "the size of an ELF section header";
            let problem = Problem::Unexpected { what, expected: "64", found: header_size.into() };
            return Err(Error::new(bytes.start + 0x3a, problem));
        }
        // With more than 65,279 sections, the first header, otherwise empty, holds the count.
        if count == 0 || names == u32::from(XINDEX) {
            let first = Section::new(bytes.part(at, SECTION_HEADER, "the first section header")?)?;
            count = if count == 0 { first.size } else { count };
            names = if names == u32::from(XINDEX) { first.link } else { names };
        }
        let headers = bytes.part(at, count.saturating_mul(SECTION_HEADER), "the section headers")?;
        let mut elf = Elf {
            bytes,
            abi: identity[8],
            e_type: bytes.u16(0x10, "an ELF header")?,
            e_version: bytes.u32(0x14, "an ELF header")?,
            e_flags: bytes.u32(0x30, "an ELF header")?,
            headers,
            names: Bytes::new(&[], bytes.start),
        };
        elf.names = elf.data(elf.section(names)?, "the names of the sections")?;
        Ok(elf)
    }

    pub(super) fn section_count(&self) -> usize {
        self.headers.data.len() / SECTION_HEADER as usize
    }

    pub(super) fn section(&self, index: u32) -> Result<Section, Error> {
        Section::new(self.headers.part(u64::from(index) * SECTION_HEADER, SECTION_HEADER, "a section header")?)
    }

    /// Returns the offset of a section header in the file.
    pub(super) fn section_offset(&self, index: u32) -> u64 {
        self.headers.start + u64::from(index) * SECTION_HEADER
    }

    /// Returns the bytes of a section; `what` names it in the error if the file is too short.
    pub(super) fn data(&self, section: Section, what: &'static str) -> Result<Bytes<'a>, Error> {
        self.bytes.part(section.offset, section.size, what)
    }

    /// Returns whether the name of a section starts with `prefix`, without searching for the end of the name.
    pub(super) fn name_starts_with(&self, section: Section, prefix: &str) -> Result<bool, Error> {
        let name = names_from(self.names, section.name, "the name of a section")?;
        Ok(name.data.starts_with(prefix.as_bytes()))
    }
}

impl Section {
    fn new(header: Bytes<'_>) -> Result<Self, Error> {
        const WHAT: &str = "a section header";
        Ok(Section {
            name: header.u32(0, WHAT)?,
            kind: header.u32(0x04, WHAT)?,
            flags: header.u64(0x08, WHAT)?,
            offset: header.u64(0x18, WHAT)?,
            size: header.u64(0x20, WHAT)?,
            link: header.u32(0x28, WHAT)?,
            info: header.u32(0x2c, WHAT)?,
        })
    }
}

/// The symbol table.
pub(super) struct Symbols<'a> {
    table: Bytes<'a>,
    names: Bytes<'a>,
    /// The section index of each symbol, if there are too many sections for 16 bits.
    sections: Option<Bytes<'a>>,
}

/// A symbol.
pub(super) struct Symbol {
    /// The index in the symbol table, by which records refer to it.
    pub(super) index: usize,
    name: u32,
    /// The offset in the file.
    pub(super) offset: u64,
    kind: u8,
    other: u8,
    pub(super) section: u32,
}

impl<'a> Symbols<'a> {
    /// Creates the table of the symbols in section `table`; `sections` is the section of their section indices, if any.
    pub(super) fn new(elf: &Elf<'a>, table: Section, sections: Option<Section>) -> Result<Self, Error> {
        Ok(Symbols {
            table: elf.data(table, "the symbol table")?,
            names: elf.data(elf.section(table.link)?, "the names of the symbols")?,
            sections: sections.map(|section| elf.data(section, "the sections of the symbols")).transpose()?,
        })
    }

    pub(super) fn count(&self) -> usize {
        self.table.data.len() / SYMBOL as usize
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Result<Symbol, Error>> {
        (0..self.count()).map(|index| self.symbol(index))
    }

    fn symbol(&self, index: usize) -> Result<Symbol, Error> {
        const WHAT: &str = "a symbol";
        let entry = self.table.part(index as u64 * SYMBOL, SYMBOL, WHAT)?;
        let [kind, other] = entry.u16(4, WHAT)?.to_le_bytes();
        let section = match (entry.u16(6, WHAT)?, self.sections) {
            (XINDEX, Some(sections)) => sections.u32(index as u64 * 4, "the section of a symbol")?,
            (section, _) => section.into(),
        };
        Ok(Symbol { index, name: entry.u32(0, WHAT)?, offset: entry.start, kind, other, section })
    }

    /// Returns the name of a symbol.
    pub(super) fn name(&self, symbol: &Symbol) -> Result<&'a str, Error> {
        const WHAT: &str = "the name of a kernel";
        let rest = names_from(self.names, symbol.name, WHAT)?;
        let Some(end) = rest.data.iter().position(|&byte| byte == 0) else {
            let (needed, available) = (rest.data.len() as u64 + 1, rest.data.len() as u64);
            return Err(Error::new(rest.start, Problem::Truncated { what: WHAT, needed, available }));
        };
        let name = rest.part(0, end as u64, WHAT)?;
        std::str::from_utf8(name.data).map_err(|error| {
            let at = error.valid_up_to();
            let found = name.data.get(at).copied().unwrap_or_default().into();
            Error::new(name.start + at as u64, Problem::Unexpected { what: WHAT, expected: "UTF-8", found })
        })
    }
}

impl Symbol {
    /// Returns whether this is a kernel that the file defines: a function with NVIDIA's flag for entry points.
    pub(super) fn is_kernel(&self) -> bool {
        const FUNCTION: u8 = 2;
        const ENTRY: u8 = 0x10;
        self.kind & 0xf == FUNCTION && self.other & ENTRY != 0 && self.section != 0
    }
}

/// Returns the table of names from `at` to its end: at least 1 byte.
fn names_from<'a>(names: Bytes<'a>, at: u32, what: &'static str) -> Result<Bytes<'a>, Error> {
    let rest = (names.data.len() as u64).saturating_sub(at.into());
    names.part(at.into(), rest.max(1), what)
}

//! The ELF around a cubin: 64 bits, little-endian, its section headers and symbols.

use crate::bytes::Bytes;
use crate::error::{Error, Problem};

const SECTION_HEADER: u64 = 64;
const SYMBOL: u64 = 24;
/// A number too large for its 16 bits stands elsewhere.
const ELSEWHERE: u16 = 0xffff;

/// An ELF file of the kind cubins are.
#[derive(Clone, Copy)]
pub(super) struct Elf<'a> {
    pub(super) bytes: Bytes<'a>,
    /// `EI_ABIVERSION`.
    pub(super) abi: u8,
    pub(super) e_type: u16,
    pub(super) e_version: u32,
    pub(super) e_flags: u32,
    headers: Bytes<'a>,
    names: Bytes<'a>,
}

/// The fields of a section header that matter here.
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
        // Of more than 65,279 sections the first header, otherwise empty, has the count.
        if count == 0 || names == u32::from(ELSEWHERE) {
            let first = Section::new(bytes.part(at, SECTION_HEADER, "the first section header")?)?;
            count = if count == 0 { first.size } else { count };
            names = if names == u32::from(ELSEWHERE) { first.link } else { names };
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

    /// Where a section header stands in the file.
    pub(super) fn section_at(&self, index: u32) -> u64 {
        self.headers.start + u64::from(index) * SECTION_HEADER
    }

    /// The bytes of a section; `what` names it if they are not all there.
    pub(super) fn data(&self, section: Section, what: &'static str) -> Result<Bytes<'a>, Error> {
        self.bytes.part(section.offset, section.size, what)
    }

    /// Whether the name of a section begins like this, which is told without looking for the name's end.
    pub(super) fn is_named(&self, section: Section, prefix: &str) -> Result<bool, Error> {
        let name = from(self.names, section.name, "the name of a section")?;
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
    /// The sections of symbols, where there are too many for 16 bits.
    sections: Option<Bytes<'a>>,
}

/// A symbol.
pub(super) struct Symbol {
    /// Its number, by which records name it.
    pub(super) index: usize,
    name: u32,
    /// Where it stands in the file.
    pub(super) at: u64,
    kind: u8,
    other: u8,
    pub(super) section: u32,
}

impl<'a> Symbols<'a> {
    /// The symbols in the section `table`, with their section numbers in `sections` if there is such a section.
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
            (ELSEWHERE, Some(sections)) => sections.u32(index as u64 * 4, "the section of a symbol")?,
            (section, _) => section.into(),
        };
        Ok(Symbol { index, name: entry.u32(0, WHAT)?, at: entry.start, kind, other, section })
    }

    /// The name of a symbol.
    pub(super) fn name(&self, symbol: &Symbol) -> Result<&'a str, Error> {
        const WHAT: &str = "the name of a kernel";
        let rest = from(self.names, symbol.name, WHAT)?;
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
    /// Whether this is a kernel defined here: a function with NVIDIA's mark for entry points.
    pub(super) fn is_kernel(&self) -> bool {
        const FUNCTION: u8 = 2;
        const ENTRY: u8 = 0x10;
        self.kind & 0xf == FUNCTION && self.other & ENTRY != 0 && self.section != 0
    }
}

/// What begins at this place in a table of names, 1 byte or more.
fn from<'a>(names: Bytes<'a>, at: u32, what: &'static str) -> Result<Bytes<'a>, Error> {
    let rest = (names.data.len() as u64).saturating_sub(at.into());
    names.part(at.into(), rest.max(1), what)
}

//! Finds the sections with fatbins in host files: ELF and PE binaries, ELF and COFF objects, archives of objects.

use crate::budget::Budget;
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::fatbin::Section;
use crate::origin::{Format, Origin};
use object::read::archive::{ArchiveFile, ArchiveMember};
use object::read::coff::CoffHeader;
use object::read::elf::{FileHeader, SectionHeader};
use object::read::pe::ImageNtHeaders;
use object::{LittleEndian as LE, elf, pe};
use std::sync::Arc;

/// Returns the sections of a host file that hold fatbins, in file order.
pub(crate) fn sections<'a>(file: Bytes<'a>, budget: &Budget) -> Result<Vec<Section<'a>>, Error> {
    let mut list = List { sections: Vec::new(), budget };
    if file.data.starts_with(b"!<thin>\n") {
        return Err(Error::new(file.start, Problem::ThinArchive));
    } else if file.data.starts_with(b"!<arch>\n") {
        list.add_archive(file)?;
    } else {
        list.add_file(file, None)?;
    }
    if list.sections.is_empty() {
        return Err(Error::new(file.start, Problem::NoDeviceCode));
    }
    Ok(list.sections)
}

/// The sections found so far.
struct List<'a, 'b> {
    sections: Vec<Section<'a>>,
    budget: &'b Budget,
}

impl<'a> List<'a, '_> {
    fn add_archive(&mut self, file: Bytes<'a>) -> Result<(), Error> {
        let archive = ArchiveFile::parse(file.data).map_err(damaged(file, "an archive"))?;
        for member in archive.members() {
            let member = member.map_err(damaged(file, "the header of an archive's member"))?;
            let (offset, size) = member.file_range();
            let content = file.part(offset, size, "a member of an archive")?;
            self.add_file(content, Some(&member))?;
        }
        Ok(())
    }

    /// Adds the sections of a file that is not an archive. Other formats have none.
    fn add_file(&mut self, file: Bytes<'a>, member: Option<&ArchiveMember<'a>>) -> Result<(), Error> {
        let found = if file.data.starts_with(&elf::ELFMAG) {
            elf_sections(file, self.budget)?
        } else if file.data.starts_with(b"MZ") {
            pe_sections(file, self.budget)?
        } else if is_big_coff(file) {
            coff_sections::<pe::AnonObjectHeaderBigobj>(file, self.budget)?
        } else if is_coff(file) {
            coff_sections::<pe::ImageFileHeader>(file, self.budget)?
        } else {
            Vec::new()
        };
        // Members can share a name in the table of names. Counting it for each also bounds the time to search for its end.
        let name = member.map_or(&[][..], ArchiveMember::name);
        // A byte that is not UTF-8 becomes 3, and the string has spare capacity while it grows.
        self.budget.take(8 * name.len() as u64, file.start, "the names of an archive's members")?;
        let member: Option<Arc<str>> =
            member.filter(|_| !found.is_empty()).map(|_| String::from_utf8_lossy(name).into());
        // In a valid file sections do not overlap, so their sum is at most the file size.
        let mut unread = file.data.len() as u64;
        for (name, bytes) in found {
            let size = bytes.data.len() as u64;
            unread = unread.checked_sub(size).ok_or_else(|| {
                let (what, needed) = ("the sections of a host file together", size);
                Error::new(bytes.start, Problem::Truncated { what, needed, available: unread })
            })?;
            let origin = Origin { member: member.clone(), section: Some(name.into()), ..Origin::whole(Format::Cubin) };
            self.sections.push(Section { bytes, origin });
        }
        Ok(())
    }
}

/// Returns whether this is an object with too many sections for 16 bits. Import objects and objects for link-time code
/// generation start with the same bytes, but have version 0 and 1.
fn is_big_coff(file: Bytes<'_>) -> bool {
    file.data.starts_with(&[0, 0, 0xff, 0xff]) && file.u16(4, "a COFF object").is_ok_and(|version| version >= 2)
}

/// Memory for a section in the lists of sections, in bytes: three times its size while they grow.
const SECTION: u64 = 3 * (size_of::<NamedSection<'_>>() + size_of::<Section<'_>>()) as u64 + 48;

/// A section's name and content.
type NamedSection<'a> = (&'static str, Bytes<'a>);

/// The section of final fatbins, or of any fatbins in an object for device linking.
const FATBIN: &str = ".nv_fatbin";
/// The section of fatbins before device linking (`-rdc=true`), which remain in the linked file.
const UNLINKED: &str = "__nv_relfatbin";

/// The same names in PE files, which store 8 bytes of each.
const PE_NAMES: [(&[u8; 8], &str); 2] = [(b".nv_fatb", ".nv_fatb"), (b"__nv_rel", "__nv_rel")];

fn elf_sections<'a>(file: Bytes<'a>, budget: &Budget) -> Result<Vec<NamedSection<'a>>, Error> {
    const WHAT: &str = "an ELF host file";
    let damaged = || damaged(file, WHAT);
    // CUDA no longer supports any other host.
    if file.data.get(4..6) != Some(&[elf::ELFCLASS64.0, elf::ELFDATA2LSB.0]) {
        return Ok(Vec::new());
    }
    let header = elf::FileHeader64::<LE>::parse(file.data).map_err(damaged())?;
    let table = header.section_headers(LE, file.data).map_err(damaged())?;
    let names = header.section_strings_index(LE, file.data).map_err(damaged())?;
    let Some(names) = table.get(names.0) else {
        return Ok(Vec::new());
    };
    let names = names.data(LE, file.data).map_err(damaged())?;
    let mut found = Vec::new();
    for section in table {
        let Some(name) = [FATBIN, UNLINKED].into_iter().find(|name| has_name_at(names, section.sh_name(LE), name))
        else {
            continue;
        };
        if let Some((offset, size)) = section.file_range(LE) {
            budget.take(SECTION, file.start, "the list of sections")?;
            found.push((name, file.part(offset, size, "a section of an ELF host file")?));
        }
    }
    // In a linked file only the linked code is final. An object can hold both.
    if header.e_type(LE) != elf::ET_REL && found.iter().any(|(name, _)| *name == FATBIN) {
        found.retain(|(name, _)| *name == FATBIN);
    }
    Ok(found)
}

fn pe_sections<'a>(file: Bytes<'a>, budget: &Budget) -> Result<Vec<NamedSection<'a>>, Error> {
    const WHAT: &str = "a PE file";
    let damaged = || damaged(file, WHAT);
    let header = pe::ImageDosHeader::parse(file.data).map_err(damaged())?;
    let mut offset = header.nt_headers_offset().into();
    let (header, _) = pe::ImageNtHeaders64::parse(file.data, &mut offset).map_err(damaged())?;
    let table = header.sections(file.data, offset).map_err(damaged())?;
    let mut found = Vec::new();
    for section in table.iter() {
        if let Some((_, name)) = PE_NAMES.iter().find(|(stored, _)| **stored == section.name) {
            let (offset, size) = section.pe_file_range();
            budget.take(SECTION, file.start, "the list of sections")?;
            found.push((*name, file.part(offset.into(), size.into(), "a section of a PE file")?));
        }
    }
    if let Some((_, linked)) = PE_NAMES.first()
        && found.iter().any(|(name, _)| name == linked)
    {
        found.retain(|(name, _)| name == linked);
    }
    Ok(found)
}

fn is_coff(file: Bytes<'_>) -> bool {
    file.data.first_chunk().is_some_and(|&machine| {
        [pe::IMAGE_FILE_MACHINE_AMD64, pe::IMAGE_FILE_MACHINE_ARM64].contains(&pe::Machine(u16::from_le_bytes(machine)))
    })
}

fn coff_sections<'a, Coff: CoffHeader>(file: Bytes<'a>, budget: &Budget) -> Result<Vec<NamedSection<'a>>, Error> {
    const WHAT: &str = "a COFF object";
    let damaged = || damaged(file, WHAT);
    let mut offset = 0;
    let header = Coff::parse(file.data, &mut offset).map_err(damaged())?;
    let table = header.sections(file.data, offset).map_err(damaged())?;
    // Names longer than 8 bytes are in the table that follows the symbols.
    let symbol = size_of::<Coff::SymbolBytes>() as u64;
    let names = u64::from(header.pointer_to_symbol_table()) + u64::from(header.number_of_symbols()) * symbol;
    let names = usize::try_from(names).ok().and_then(|names| file.data.get(names..)).unwrap_or_default();
    let mut found = Vec::new();
    for section in table.iter() {
        let name = match section.name_offset() {
            Ok(Some(offset)) => [FATBIN, UNLINKED].into_iter().find(|name| has_name_at(names, offset, name)),
            _ => PE_NAMES.iter().find(|(stored, _)| **stored == section.name).map(|(_, name)| *name),
        };
        if let Some(name) = name
            && let Some((offset, size)) = section.coff_file_range()
        {
            budget.take(SECTION, file.start, "the list of sections")?;
            found.push((name, file.part(offset.into(), size.into(), "a section of a COFF object")?));
        }
    }
    Ok(found)
}

/// Returns whether `name` is at `offset` of a table of zero-terminated names.
///
/// Only the bytes of `name` are compared: names can share an end that is far away.
fn has_name_at(names: &[u8], offset: u32, name: &str) -> bool {
    names
        .get(offset as usize..)
        .and_then(|rest| rest.strip_prefix(name.as_bytes()))
        .is_some_and(|rest| rest.starts_with(&[0]))
}

fn damaged(file: Bytes<'_>, what: &'static str) -> impl FnOnce(object::read::Error) -> Error {
    move |_| Error::new(file.start, Problem::Damaged { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The member, section name, offset and content of each section.
    type Found = Vec<(Option<String>, String, u64, Vec<u8>)>;

    fn found(file: &[u8]) -> Result<Found, Error> {
        let text = |text: &Option<Arc<str>>| text.as_ref().map(ToString::to_string);
        let row = |section: &Section<'_>| {
            let origin = &section.origin;
            (text(&origin.member), text(&origin.section).unwrap(), section.bytes.start, section.bytes.data.to_vec())
        };
        let budget = Budget::for_file(file.len());
        Ok(sections(Bytes::new(file, 0), &budget)?.iter().map(row).collect())
    }

    /// Returns names and contents, after checking that each content is at its offset.
    fn names(file: &[u8]) -> Vec<(String, String)> {
        let name = |(_, name, offset, content): (_, String, u64, Vec<u8>)| {
            assert!(file[offset as usize..].starts_with(&content));
            (name, String::from_utf8(content).unwrap())
        };
        found(file).unwrap().into_iter().map(name).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|&(name, content)| (name.into(), content.into())).collect()
    }

    fn problem(file: &[u8]) -> Problem {
        found(file).unwrap_err().problem
    }

    const OBJECT: u16 = 1;
    const SHARED: u16 = 3;

    /// Builds an ELF file: header, contents, names, section headers.
    fn elf(kind: u16, sections: &[(&str, &str)]) -> Vec<u8> {
        let mut file = vec![0; 64];
        let mut names = vec![0];
        let mut headers = vec![0; 64];
        let mut header = |name: u32, kind: u32, offset: usize, size: usize| {
            headers.extend([name.to_le_bytes(), kind.to_le_bytes()].concat());
            headers.extend([0; 16]);
            headers.extend([(offset as u64).to_le_bytes(), (size as u64).to_le_bytes()].concat());
            headers.extend([0; 24]);
        };
        for (name, content) in sections {
            header(names.len() as u32, 1, file.len(), content.len());
            names.extend(name.bytes().chain([0]));
            file.extend(content.bytes());
        }
        header(0, 3, file.len(), names.len());
        file.extend(&names);
        let table = file.len() as u64;
        file.extend(headers);
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        file[16..18].copy_from_slice(&kind.to_le_bytes());
        file[18..20].copy_from_slice(&62_u16.to_le_bytes());
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3a..0x3c].copy_from_slice(&64_u16.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(sections.len() as u16 + 2).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&(sections.len() as u16 + 1).to_le_bytes());
        file
    }

    /// Appends PE or COFF section headers, the contents, and the table of names longer than 8 bytes, which headers refer to
    /// by offset. Returns the offset of the table.
    fn windows_sections(file: &mut Vec<u8>, sections: &[(&str, &str)]) -> u32 {
        let mut names = vec![0; 4];
        let mut at = file.len() + 40 * sections.len();
        for (name, content) in sections {
            let short = if name.len() > 8 {
                let short = format!("/{}", names.len());
                names.extend(name.bytes().chain([0]));
                short
            } else {
                (*name).into()
            };
            let mut header = [0; 40];
            header[..short.len()].copy_from_slice(short.as_bytes());
            for (field, value) in [(8, content.len()), (16, content.len()), (20, at)] {
                header[field..field + 4].copy_from_slice(&(value as u32).to_le_bytes());
            }
            file.extend(header);
            at += content.len();
        }
        for (_, content) in sections {
            file.extend(content.bytes());
        }
        let table = file.len() as u32;
        let length = names.len() as u32;
        names[..4].copy_from_slice(&length.to_le_bytes());
        file.extend(names);
        table
    }

    fn coff(sections: &[(&str, &str)]) -> Vec<u8> {
        let mut file = vec![0; 20];
        file[..2].copy_from_slice(&0x8664_u16.to_le_bytes());
        file[2..4].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        let symbols = windows_sections(&mut file, sections);
        file[8..12].copy_from_slice(&symbols.to_le_bytes());
        file
    }

    fn big_coff(sections: &[(&str, &str)]) -> Vec<u8> {
        let mut file = vec![0; 56];
        file[..8].copy_from_slice(&[0, 0, 0xff, 0xff, 2, 0, 0x64, 0x86]);
        let class = [0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8];
        file[12..28].copy_from_slice(&class);
        file[44..48].copy_from_slice(&(sections.len() as u32).to_le_bytes());
        let symbols = windows_sections(&mut file, sections);
        file[48..52].copy_from_slice(&symbols.to_le_bytes());
        file
    }

    fn pe(sections: &[(&str, &str)]) -> Vec<u8> {
        const HEADERS: usize = 64;
        const OPTIONAL: usize = 112;
        let mut file = vec![0; HEADERS + 24 + OPTIONAL];
        file[..2].copy_from_slice(b"MZ");
        file[0x3c..0x40].copy_from_slice(&(HEADERS as u32).to_le_bytes());
        file[HEADERS..HEADERS + 6].copy_from_slice(b"PE\0\0\x64\x86");
        file[HEADERS + 6..HEADERS + 8].copy_from_slice(&(sections.len() as u16).to_le_bytes());
        file[HEADERS + 20..HEADERS + 22].copy_from_slice(&(OPTIONAL as u16).to_le_bytes());
        file[HEADERS + 24..HEADERS + 26].copy_from_slice(&0x20b_u16.to_le_bytes());
        windows_sections(&mut file, sections);
        file
    }

    /// Builds a member with this name in its header, padded to an even length.
    fn member(name: &str, content: &[u8]) -> Vec<u8> {
        let mut member = format!("{name:<16}{:<32}{:<10}`\n", "", content.len()).into_bytes();
        member.extend(content);
        member.resize(member.len().next_multiple_of(2), b'\n');
        member
    }

    fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        [b"!<arch>\n".to_vec(), members.concat()].concat()
    }

    #[test]
    fn in_a_linked_file_only_linked_code_counts() {
        let sections = [("__nv_relfatbin", "before"), (".text", "x"), (".nv_fatbin", "after")];
        assert_eq!(names(&elf(SHARED, &sections)), pairs(&[(".nv_fatbin", "after")]));
        assert_eq!(names(&elf(SHARED, &sections[..2])), pairs(&[("__nv_relfatbin", "before")]));
        assert_eq!(names(&elf(OBJECT, &sections)), pairs(&[("__nv_relfatbin", "before"), (".nv_fatbin", "after")]));
    }

    #[test]
    fn only_whole_names_count() {
        let sections = [(".nv_fatbin2", "a"), ("x.nv_fatbin", "b"), (".nv_fatbi", "c"), (".nvFatBinSegment", "d")];
        assert_eq!(problem(&elf(OBJECT, &sections)), Problem::NoDeviceCode);
        assert_eq!(problem(&coff(&sections)), Problem::NoDeviceCode);
    }

    #[test]
    fn windows_files() {
        let sections = [(".text", "xyz"), (".nv_fatb", "short"), ("__nv_rel", "before"), (".nvFatBi", "wrapper")];
        assert_eq!(names(&pe(&sections)), pairs(&[(".nv_fatb", "short")]));
        assert_eq!(names(&pe(&sections[2..])), pairs(&[("__nv_rel", "before")]));
        let long = [("__nv_relfatbin", "before"), (".nv_fatbin", "long"), (".nv_fatb", "short"), (".text$mn", "x")];
        let expected = pairs(&[("__nv_relfatbin", "before"), (".nv_fatbin", "long"), (".nv_fatb", "short")]);
        assert_eq!(names(&coff(&long)), expected);
        assert_eq!(names(&big_coff(&long)), expected);
    }

    #[test]
    fn archives_of_gnu_and_bsd() {
        let object = elf(OBJECT, &[(".nv_fatbin", "code")]);
        let odd = coff(&[(".nv_fatb", "odd number of bytes")]);
        let host = elf(OBJECT, &[(".text", "x")]);
        let long = "a_name_that_is_longer_than_its_field.cu.o";
        let gnu = archive(&[
            member("/", &[0; 4]),
            member("//", format!("{long}/\n").as_bytes()),
            member("/0", &object),
            member("host.o/", &host),
            member("odd.obj/", &odd),
            member("notes.txt/", b"no object at all"),
            member("last.o/", &object),
        ]);
        let rows = found(&gnu).unwrap();
        let members: Vec<_> = rows.iter().map(|row| (row.0.as_deref().unwrap(), &row.1[..], &row.3[..])).collect();
        assert_eq!(
            members,
            [
                (long, ".nv_fatbin", &b"code"[..]),
                ("odd.obj", ".nv_fatb", b"odd number of bytes"),
                ("last.o", ".nv_fatbin", b"code")
            ]
        );
        for row in &rows {
            assert!(gnu[row.2 as usize..].starts_with(&row.3));
        }
        let bsd = archive(&[member(&format!("#1/{}", long.len()), &[long.as_bytes(), &object].concat())]);
        assert_eq!(found(&bsd).unwrap()[0].0.as_deref(), Some(long));
        assert_eq!(problem(&archive(&[member("host.o/", &host)])), Problem::NoDeviceCode);
        assert_eq!(problem(b"!<thin>\n"), Problem::ThinArchive);
    }

    #[test]
    fn damaged_files_are_refused() {
        let sections = [(".nv_fatbin", "code")];
        let object = elf(OBJECT, &sections);
        let archive = archive(&[member("a.o/", &object)]);
        for file in [&object, &coff(&[(".nv_fatb", "code")]), &pe(&[(".nv_fatb", "code")]), &archive] {
            assert!(found(file).is_ok());
            for length in 0..file.len() {
                // A file without its end can still have all bytes that are read.
                if let Ok(rows) = found(&file[..length]) {
                    assert_eq!(rows.len(), 1);
                    assert_eq!(rows[0].3, b"code");
                }
            }
        }
        assert_eq!(problem(&archive[..20]), Problem::Damaged { what: "an archive" });
        assert!(matches!(problem(&archive[..archive.len() - 3]), Problem::Truncated { .. }));
        assert_eq!(problem(&object[..object.len() - 1]), Problem::Damaged { what: "an ELF host file" });
    }

    #[test]
    fn sections_that_share_their_bytes_are_refused() {
        let content = "code".repeat(1000);
        let mut file = elf(OBJECT, &[(".nv_fatbin", &content), (".nv_fatbin", "")]);
        let table = file.len() - 4 * 64;
        file.copy_within(table + 64..table + 128, table + 128);
        let available = file.len() as u64 - 4000;
        let what = "the sections of a host file together";
        assert_eq!(problem(&file), Problem::Truncated { what, needed: 4000, available });
    }

    #[test]
    fn the_names_of_members_are_counted() {
        // All members share a name of 1 MiB, whose end would be searched for each time.
        let names = ["n".repeat(1 << 20), "/\n".into()].concat();
        let mut members = vec![member("//", names.as_bytes())];
        members.extend((0..200).map(|_| member("/0", b"")));
        assert!(matches!(
            problem(&archive(&members)),
            Problem::TooLarge { what: "the names of an archive's members", .. }
        ));
    }
}

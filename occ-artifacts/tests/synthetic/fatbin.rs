//! Fatbins, from their containers to the cubins in them.

use crate::build::{Cubin, Entry, Kernel, container, header};
use occ_artifacts::{Problem, read};

fn cubin(e_flags: u32, name: &str) -> Cubin {
    Cubin::abi8(e_flags).kernel(name, &Kernel { function: vec![(0x2f, 10)], ..Kernel::default() })
}

fn sm_75(name: &str) -> Entry {
    Entry::cubin(75, &cubin(0x0600_4b04, name))
}

fn listed(bytes: &[u8]) -> Vec<String> {
    read(bytes).unwrap().iter().map(|image| format!("{} {}", image.name, image.target.unwrap())).collect()
}

/// The first bytes of a fatbin of 12.4 for `sm_50`: its header takes 72 bytes, its cubin 0x160.
#[test]
fn printed_header() {
    let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 0x01, 0x00, 0x10, 0x00];
    let mut cubin = Cubin::abi7(0x7c, 0x0032_0532).kernel("k", &Kernel::default()).bytes();
    cubin.resize(cubin.len().next_multiple_of(8), 0);
    bytes.extend((0x48 + cubin.len() as u64).to_le_bytes());
    bytes.extend([0x02, 0x00, 0x01, 0x01, 0x48, 0x00, 0x00, 0x00]);
    bytes.extend((cubin.len() as u64).to_le_bytes());
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x07, 0x00, 0x01, 0x00, 0x32, 0x00, 0x00, 0x00]);
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([0; 24]);
    bytes.extend(cubin);
    let images = read(&bytes).unwrap();
    assert_eq!(images[0].target.unwrap().to_string(), "sm_50");
    assert_eq!(images[0].origin.offset, 0x10 + 0x48);
}

#[test]
fn adjacent_containers_and_padding() {
    let first = container(&[sm_75("a"), sm_75("b")]);
    let second = container(&[sm_75("c")]);
    let bytes = [first.clone(), container(&[]), second, vec![0; 999]].concat();
    let images = read(&bytes).unwrap();
    let places: Vec<_> =
        images.iter().map(|image| (&*image.name, image.origin.container, image.origin.entry)).collect();
    assert_eq!(places, [("a", Some(0), Some(0)), ("b", Some(0), Some(1)), ("c", Some(2), Some(0))]);
    for image in &images {
        assert!(bytes[image.origin.offset as usize..].starts_with(b"\x7fELF"));
    }
    let mut garbage = first.clone();
    garbage.extend(b"\0\0\0\0garbage");
    let error = read(&garbage).unwrap_err();
    assert_eq!(error.offset, first.len() as u64 + 4);
    assert!(matches!(error.problem, Problem::Unexpected { what: "what follows a fatbin", .. }));
}

/// Suffix f is nowhere in a cubin, and suffix a not where its entry has it.
#[test]
fn suffix_of_the_entry() {
    let entry = |number, flags, e_flags| Entry { flags, ..Entry::cubin(number, &cubin(e_flags, "k")) };
    let bytes = container(&[
        entry(100, 0x11, 0x0600_6402),
        entry(100, 0x20_0011, 0x0600_6402),
        entry(100, 0x10_0011, 0x0600_6402),
        entry(100, 0x11, 0x0600_640a),
    ]);
    assert_eq!(listed(&bytes), ["k sm_100", "k sm_100f", "k sm_100a", "k sm_100a"]);
}

#[test]
fn entry_and_cubin_disagree() {
    let bytes = container(&[Entry::cubin(80, &cubin(0x0600_4b04, "k"))]);
    let (what, expected) = ("the capability of a cubin", "the capability of its fatbin entry");
    let problem = Problem::Unexpected { what, expected, found: 75 };
    let error = read(&bytes).unwrap_err();
    assert_eq!((error.offset, error.problem), (0x50 + 0x30, problem));
}

#[test]
fn unknown_kinds_are_skipped() {
    let unknown = Entry { kind: 0x40, payload: vec![1; 13], ..sm_75("x") };
    assert_eq!(listed(&container(&[unknown, sm_75("k")])), ["k sm_75"]);
}

/// Link-time code is flagged as compressed, but is nothing that could be decompressed.
#[test]
fn link_time_code() {
    let code = Entry { kind: 8, flags: 0x1_8011, payload: vec![1; 40], ..sm_75("x") };
    assert_eq!(read(&container(std::slice::from_ref(&code))).unwrap_err().problem, Problem::OnlyLinkTimeCode);
    assert_eq!(listed(&container(&[code, sm_75("k")])), ["k sm_75"]);
    assert_eq!(read(&container(&[])), Ok(Vec::new()));
}

/// Headers in the table of a group are as long as the texts in them reach.
#[test]
fn group() {
    let members = [
        Entry { flags: 0x10_0011, ..Entry::cubin(90, &cubin(0x0600_5a04, "a")) },
        Entry { flags: 0x20_0011, ..Entry::cubin(100, &cubin(0x0600_6402, "b")) },
        sm_75("c"),
    ];
    let mut stream = Vec::new();
    let mut headers = Vec::new();
    for (member, text) in members.iter().zip([Some(Text::Options), Some(Text::Name), None]) {
        let at = stream.len() as u32;
        stream.extend_from_slice(&member.payload);
        let mut header = header(member, at, member.payload.len() as u64);
        match text {
            None => {}
            // 7 characters and a terminator.
            Some(Text::Name) => {
                header[0x20..0x28].copy_from_slice(&[0x40, 0, 0, 0, 7, 0, 0, 0]);
                header.extend(b"kern.cu\0");
            }
            // 8 characters, and a terminator in the next 8 bytes.
            Some(Text::Options) => {
                header[0x14] = 0x40;
                header.extend([0x48, 0, 0, 0, 8, 0, 0, 0]);
                header.extend(b"-lineinf\0\0\0\0\0\0\0\0");
            }
        }
        headers.extend(header);
    }
    let mut table = 3_u32.to_le_bytes().to_vec();
    table.extend((8 + headers.len() as u32).to_le_bytes());
    table.extend(headers);
    let group = Entry { kind: 0x100, number: 0, flags: 0x11, more_header: table, payload: stream };
    assert_eq!(listed(&container(&[group])), ["a sm_90a", "b sm_100f", "c sm_75"]);
}

enum Text {
    Name,
    Options,
}

#[cfg(not(feature = "containers"))]
#[test]
fn compressed_entries_need_the_feature() {
    let needs = |bytes: &[u8]| match read(bytes).unwrap_err().problem {
        Problem::NeedsFeature { what, feature: "containers" } => what,
        other => panic!("{other:?}"),
    };
    for flags in [0x2011, 0x8011] {
        assert_eq!(needs(&container(&[Entry { flags, ..sm_75("k") }])), "a compressed fatbin entry");
    }
    assert_eq!(needs(b"!<arch>\n"), "an archive");
    assert_eq!(needs(b"!<thin>\n"), "an archive");
    assert_eq!(needs(b"MZ\x90\0"), "a PE file");
    assert_eq!(needs(b"\x64\x86\x02\0"), "a COFF object");
    let mut host = Cubin::abi8(0).bytes();
    host[0x12] = 62;
    assert_eq!(needs(&host), "an ELF host file");
}

#[test]
fn two_kinds_of_compression_at_once() {
    let error = read(&container(&[Entry { flags: 0xa011, ..sm_75("k") }])).unwrap_err();
    assert_eq!(error.offset, 0x10 + 0x28);
}

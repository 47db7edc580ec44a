//! Files that are damaged, and files made to take for ever. None may panic, and each gets its answer soon.

use crate::build::{Cubin, Entry, INFO, Kernel, NOBITS, byte, container, half, sized};
use occ_artifacts::{Problem, read};
use std::time::{Duration, Instant};

fn cubin() -> Cubin {
    let info = [half(0x1b, 64), sized(0x05, &[1024, 1, 1]), byte(0x4c, 1)].concat();
    let function = vec![(0x2f, 10), (0x11, 0), (0x12, 0)];
    let kernel = Kernel { code_flags: 6, code_registers: 10, function, info, shared: Some(1040) };
    Cubin::abi8(0x0600_5a04).kernel("a", &kernel).kernel("b", &kernel)
}

fn samples() -> [Vec<u8>; 3] {
    let cubin = cubin();
    let in_front = Cubin { headers_in_front: true, ..cubin.clone() };
    [cubin.bytes(), in_front.bytes(), container(&[Entry::cubin(90, &cubin), Entry::cubin(90, &cubin)])]
}

#[test]
fn truncated() {
    for bytes in samples() {
        assert!(read(&bytes).is_ok());
        for length in 0..bytes.len() {
            // Only the zeros that pad the last entry may be missing.
            assert!(read(&bytes[..length]).is_err() || bytes[length..].iter().all(|&byte| byte == 0), "{length}");
        }
    }
}

#[test]
fn each_byte_changed() {
    for mut bytes in samples() {
        for at in 0..bytes.len() {
            let byte = bytes[at];
            for other in [0, 1, 0x7f, 0x80, 0xff, byte ^ 1] {
                bytes[at] = other;
                let _ = read(&bytes);
            }
            bytes[at] = byte;
        }
    }
}

/// Reading must stay within what a linear pass over some megabytes takes, with room for a slow machine.
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    result
}

#[test]
fn many_sections_of_one_long_name() {
    let mut cubin = cubin();
    let name = ".nv.shared.".to_owned() + &"x".repeat(1 << 10);
    for _ in 0..60_000 {
        let code = cubin.sections.len() as u32 + 4;
        cubin.section(&name, NOBITS, code, &[]);
    }
    let bytes = cubin.bytes();
    assert_eq!(soon(|| read(&bytes)).unwrap().len(), 2);
}

#[test]
fn two_sections_of_shared_memory_for_one_kernel() {
    let mut cubin = cubin();
    cubin.section(".nv.shared.a", NOBITS, 4, &[]);
    let error = read(&cubin.bytes()).unwrap_err();
    assert!(matches!(error.problem, Problem::Unexpected { what: "`sh_info` of a kernel's section", found: 4, .. }));
}

#[test]
fn many_kernels_of_one_long_name() {
    let mut cubin = cubin();
    let long = cubin.symbol(&vec![b'x'; 1 << 16], 0x12, 0x10, 4);
    let symbol = cubin.symbols[long as usize];
    cubin.symbols.resize(200_000, symbol);
    let bytes = cubin.bytes();
    let error = soon(|| read(&bytes)).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { what: "the list of kernels", .. }), "{error}");
}

#[test]
fn names_without_an_end() {
    let mut cubin = cubin();
    cubin.names.resize(1 << 20, b'x');
    let end = cubin.names.len() as u32;
    for start in 0..100_000_u32 {
        let mut symbol = [0; 24];
        symbol[..4].copy_from_slice(&(end - 1 - start).to_le_bytes());
        symbol[4..8].copy_from_slice(&[0x12, 0x10, 4, 0]);
        cubin.symbols.push(symbol);
    }
    let bytes = cubin.bytes();
    let error = soon(|| read(&bytes)).unwrap_err();
    assert!(matches!(error.problem, Problem::Truncated { what: "the name of a kernel", .. }), "{error}");
}

/// Ten thousand kernels of one code would have its records read ten thousand times.
#[test]
fn records_shared_by_many_sections() {
    let mut cubin = cubin();
    let records = cubin.sections.iter_mut().find(|section| section.kind == INFO && section.info != 0).unwrap();
    records.data = half(0x1b, 255).repeat(1 << 16);
    records.size = records.data.len() as u64;
    let symbol = cubin.symbols[1];
    cubin.symbols.resize(10_000, symbol);
    let bytes = cubin.bytes();
    let error = soon(|| read(&bytes)).unwrap_err();
    assert!(matches!(error.problem, Problem::Truncated { what: "the `.nv.info` sections together", .. }), "{error}");
}

#[test]
fn more_headers_than_memory() {
    let mut bytes = cubin().bytes();
    // The number of sections is in the size of the first section, not in the header.
    let headers = u64::from_le_bytes(bytes[0x28..0x30].try_into().unwrap()) as usize;
    bytes[0x3c..0x3e].fill(0);
    bytes[headers + 0x20..headers + 0x28].fill(0xff);
    assert!(matches!(read(&bytes).unwrap_err().problem, Problem::Truncated { what: "the section headers", .. }));
}

#[test]
fn sizes_that_overflow() {
    let bytes = container(&[Entry::cubin(90, &cubin())]);
    for at in [8, 0x18] {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].fill(0xff);
        assert!(matches!(read(&bytes).unwrap_err().problem, Problem::Truncated { .. }));
    }
    let mut bytes = bytes;
    bytes[0x14..0x18].fill(0);
    assert!(matches!(read(&bytes).unwrap_err().problem, Problem::Unexpected { found: 0, .. }));
}

/// Members of a group that are all the whole stream would be read once each.
#[test]
fn members_that_overlap() {
    let cubin = cubin().bytes();
    let member = Entry { kind: 2, number: 90, flags: 0x11, more_header: Vec::new(), payload: cubin.clone() };
    let header = crate::build::header(&member, 0, cubin.len() as u64);
    let mut table = 1000_u32.to_le_bytes().to_vec();
    table.extend((8 + 64 * 1000_u32).to_le_bytes());
    table.extend(header.repeat(1000));
    let group = Entry { kind: 0x100, number: 0, flags: 0x11, more_header: table, payload: cubin };
    let error = read(&container(&[group])).unwrap_err();
    assert!(
        matches!(error.problem, Problem::Truncated { what: "the members of a fatbin group together", .. }),
        "{error}"
    );
}

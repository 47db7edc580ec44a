use super::input::narrow;
use super::read;
use crate::budget::Budget;
use crate::bytes::Bytes;
use crate::error::Error;
use crate::image::KernelImage;
use crate::images::Images;

/// Returns whether a text is recognised, and its kernels.
pub(super) fn read_all(text: &[u8]) -> Result<(bool, Vec<KernelImage>), Error> {
    let budget = Budget::for_file(text.len());
    let mut images = Images::new(&budget, crate::images::Selection::All);
    let is_recognised = read(Bytes::new(text, 0), &mut images)?;
    Ok((is_recognised, images.into_list()))
}

/// Returns the kernels of a recognised text.
pub(super) fn kernels(text: &str) -> Vec<KernelImage> {
    let (is_recognised, kernels) = read_all(text.as_bytes()).unwrap();
    assert!(is_recognised, "{text}");
    kernels
}

const LOG: &str = "\
ptxas warning : Stack size for entry function 'rec' cannot be statically determined
ptxas info    : 16 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'dbl' for 'sm_90a'
ptxas info    : Function properties for dbl
    40 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 28 registers, used 1 barriers, 40 bytes cumulative stack size, 144 bytes smem
ptxas info    : Function properties for leaf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
nvlink info    : 0 bytes gmem
nvlink info    : Function properties for 'dbl':
nvlink info    : used 60 registers, used 4 barriers, 120 stack, 1424 bytes smem, 536 bytes cmem[0], 0 bytes lmem
";
const USAGE: &str = "
member libk.a:one.o:

Fatbin elf code:
================
arch = sm_90
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function dbl:
  REG:28 STACK:40 SHARED:1424 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
";
const PTX: &str = "\
// comment
.version 9.5
.target sm_100a, debug
.address_size 64
.file 1 \"k.cu\"
.global .align 4 .u32 table[3] = {1, 2, 3};
.visible .entry k(.param .u64 p)
.maxntid 0x100, 2 .minnctapersm 3 /* } */
.explicitcluster .reqnctapercluster 2
{
    { ret; } // }
}
";

#[test]
fn anything_else_is_not_recognised() {
    for text in ["", "\u{feff}", "fn main() {}\n", "Function f:\n body\n", "// .version 9.5\nversion 1\n", "\u{7f}ELF"]
    {
        assert_eq!(read_all(text.as_bytes()), Ok((false, Vec::new())), "{text}");
    }
}

#[test]
fn utf_16_gives_the_same_kernels_as_utf_8() {
    for text in [LOG, USAGE, PTX] {
        let expected = kernels(text);
        let first_line = |kernel: &KernelImage| text[usize::try_from(kernel.origin.offset).unwrap()..].lines().next();
        assert!(!expected.is_empty());
        // One character of one code unit, and one of two, both outside ASCII.
        let text = format!("// \u{2018}\u{1f980}\n{text}");
        for encode in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(encode).collect();
            let (is_recognised, found) = read_all(&bytes).unwrap();
            assert!(is_recognised);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                let units = usize::try_from(found.origin.offset).unwrap() / 2 - 1;
                let before: Vec<u16> = text.encode_utf16().take(units).collect();
                let line = &text[String::from_utf16(&before).unwrap().len()..];
                assert_eq!(line.lines().next(), first_line(expected), "{}", found.origin.offset);
                let same_place = KernelImage { origin: expected.origin.clone(), ..found.clone() };
                assert_eq!(same_place, *expected);
            }
        }
    }
    assert_eq!(narrow(&[b'a', 0, 0x18, 0x20, 0x80, 0, 1], u16::from_le_bytes), "a``");
}

#[test]
fn one_file_can_hold_several_formats() {
    assert_eq!(kernels(&[LOG, USAGE].concat()).len(), 3);
}

/// Xorshift with a fixed seed, so that a failure can be reproduced.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut outcomes = [0; 3];
    for round in 0..30_000 {
        let mut text = [LOG, USAGE, PTX][round % 3].as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            let at = random.below(text.len());
            let to = (at + random.below(40)).min(text.len());
            match random.below(5) {
                0 => drop(text.drain(at..to)),
                1 => text.extend_from_within(at..to),
                2 => text.truncate(to),
                3 => text.insert(at, b"\"'{}/*:;,.\n\0 0\xff"[random.below(15)]),
                _ => text[at..to].reverse(),
            }
            text.push(b' ');
        }
        let length = text.len() as u64;
        match read_all(&text) {
            Ok((is_recognised, kernels)) => {
                outcomes[usize::from(is_recognised)] += 1;
                assert!(is_recognised || kernels.is_empty());
                assert!(kernels.iter().all(|kernel| kernel.origin.offset < length && !kernel.name.is_empty()));
            }
            Err(error) => {
                outcomes[2] += 1;
                assert!(error.offset <= length, "{error}");
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 100), "every outcome occurs: {outcomes:?}");
}

/// Each takes a fraction of a second in linear time, and an hour in quadratic time.
#[test]
fn megabytes_are_read_in_linear_time() {
    let head = ".version 9.5 ";
    for (head, part) in [
        ("", "x"),
        ("", "Compiling entry function '"),
        ("", "Compiling entry function 'k' for 'sm_80'\n"),
        ("", "Function properties for k\n"),
        ("", "Used Used used 1 registers, "),
        ("", " Function k:\n"),
        ("", "Resource usage:\nREG: CONSTANT[0]: "),
        ("", "/"),
        ("/*", "/*"),
        (head, "/"),
        (head, "/* "),
        (head, "{"),
        (head, "\""),
        (head, ".visible "),
        (head, ".entry k;"),
        (".version 9.5 .entry k", "("),
        (".version 9.5 .entry k", " .maxntid 1 /**/"),
        (".version 9.5 .entry k {", "{}\"}\"/"),
    ] {
        let text = [head, &part.repeat(2 << 20 >> part.len().ilog2())].concat();
        // The result does not matter, only that reading ends.
        let _ = read_all(text.as_bytes());
    }
}

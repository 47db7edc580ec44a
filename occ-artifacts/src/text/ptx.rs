//! Reads the kernels of PTX and their launch bounds.
//!
//! Registers, barriers and local memory are unknown until PTX is compiled; static shared memory could only be estimated.

mod tokens;

use super::input::{Place, Text};
use super::words::{self, target};
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::image::{Bounds, KernelImage};
use crate::images::Images;
use crate::origin::Origin;
use crate::target::CodeTarget;
use occ_core::Code;
use tokens::{Token, Tokens};

/// The lowest cap that `ptxas` applies for `.maxnreg`. (`.minnctapersm` can lead to a lower cap, which PTX does not show.)
const MIN_REGISTER_CAP: u32 = 24;
/// The hardware limit on registers per thread. A cap from here on is no cap.
const MAX_REGISTERS: u32 = 255;

/// Adds the kernels of a PTX module with this origin.
///
/// # Errors
///
/// Returns an error if a bound is not a positive number, or a kernel has no end.
pub(crate) fn read(bytes: Bytes<'_>, origin: &Origin, images: &mut Images<'_>) -> Result<(), Error> {
    read_text(bytes.data, Place { start: bytes.start, unit: 1 }, origin, images)
}

/// Returns whether the first token is `.version`.
pub(super) fn is_ptx(text: Text<'_>) -> bool {
    matches!(Tokens::new(text.data.as_bytes()).next(), Some(Token::Word(b".version")))
}

pub(super) fn read_text(data: &[u8], place: Place, origin: &Origin, images: &mut Images<'_>) -> Result<(), Error> {
    let mut module = Module { place, tokens: Tokens::new(data), origin, target: None };
    // The start of a linkage directive, if it is the previous token.
    let mut linkage = None;
    while let Some(token) = module.tokens.next() {
        let at = module.tokens.start_of(token);
        let start = linkage.take().unwrap_or(at);
        match token {
            Token::Word(b".target") => module.target = module.read_target(),
            Token::Word(b".visible" | b".weak" | b".extern") => linkage = Some(at),
            Token::Word(b".entry") => {
                if let Some(kernel) = module.read_kernel(start)? {
                    images.push(kernel)?;
                }
            }
            // The body of a function or the initializer of a variable.
            Token::Punct(b'{') => module.skip_block(at)?,
            _ => {}
        }
    }
    match module.tokens.unterminated {
        Some(at) => Err(module.malformed(at, "PTX", "the end of the comment or string that starts here")),
        None => Ok(()),
    }
}

struct Module<'a> {
    place: Place,
    tokens: Tokens<'a>,
    origin: &'a Origin,
    target: Option<CodeTarget>,
}

impl Module<'_> {
    /// Returns an offset in the file; in a container, that of the PTX.
    fn offset(&self, at: usize) -> u64 {
        if self.origin.container.is_some() { self.origin.offset } else { self.place.offset(at) }
    }

    fn malformed(&self, at: usize, what: &'static str, expected: &'static str) -> Error {
        Error::new(self.offset(at), Problem::Malformed { what, expected })
    }

    /// Reads the words of a `.target` directive and returns the target.
    fn read_target(&mut self) -> Option<CodeTarget> {
        let mut found = None;
        while let Some(Token::Word(word)) = self.tokens.next() {
            found = found.or_else(|| target(std::str::from_utf8(word).ok()?, Code::Ptx));
            if !self.tokens.skip_punct(b',') {
                break;
            }
        }
        found
    }

    /// Reads the kernel after an `.entry`; `None` if it is only declared.
    fn read_kernel(&mut self, start: usize) -> Result<Option<KernelImage>, Error> {
        let name = match self.tokens.next() {
            Some(Token::Word(word)) if !word.starts_with(b".") => word,
            _ => return Err(self.malformed(start, "the name of a kernel", "an identifier after `.entry`")),
        };
        if self.tokens.skip_punct(b'(') {
            self.tokens.skip_to_punct(b')');
        }
        let mut directives = Directives::default();
        // Tokens after an unknown directive belong to it.
        let mut is_known = true;
        loop {
            match self.tokens.next() {
                Some(Token::Punct(b'{')) => break,
                Some(Token::Punct(b';')) => return Ok(None),
                Some(Token::Word(b".pragma")) => self.tokens.skip_to_punct(b';'),
                Some(Token::Word(word)) if word.starts_with(b".") => {
                    is_known = self.read_directive(word, &mut directives)?;
                }
                Some(_) if !is_known => {}
                Some(token) => {
                    let at = self.tokens.start_of(token);
                    return Err(self.malformed(at, "the bounds of a kernel", "a directive or `{`"));
                }
                None => return Err(self.malformed(start, "a kernel", "a body in `{` and `}`")),
            }
        }
        self.skip_block(start)?;
        let origin = Origin { offset: self.offset(start), ..self.origin.clone() };
        let mut kernel = words::kernel(&String::from_utf8_lossy(name), origin)?;
        kernel.target = self.target;
        let bounds = directives.bounds;
        // `ptxas` ignores `.minnctapersm` without a block size.
        let has_block = bounds.max_threads.is_some() || bounds.launch.required_block.is_some();
        kernel.min_blocks_per_sm = directives.min_blocks_per_sm.filter(|_| has_block);
        kernel.bounds = Some(bounds);
        Ok(Some(kernel))
    }

    /// Reads the numbers of a directive, which replace those of an earlier one. Returns `false` for an unknown directive.
    fn read_directive(&mut self, word: &[u8], into: &mut Directives) -> Result<bool, Error> {
        let bounds = &mut into.bounds;
        match word {
            b".maxntid" => bounds.max_threads = Some(self.read_dimensions()?),
            b".reqntid" => bounds.launch.required_block = Some(self.read_dimensions()?),
            b".reqnctapercluster" => bounds.launch.required_cluster = Some(self.read_dimensions()?),
            b".maxclusterrank" => bounds.launch.max_cluster_blocks = Some(self.read_number()?),
            b".minnctapersm" => into.min_blocks_per_sm = Some(self.read_number()?),
            b".maxnreg" => {
                let cap = self.read_number()?;
                bounds.max_registers = (cap < MAX_REGISTERS).then_some(cap.max(MIN_REGISTER_CAP));
            }
            b".explicitcluster" => bounds.launch.needs_cluster = true,
            b".blocksareclusters" => bounds.launch.grid_counts_clusters = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads one to three numbers; missing ones are 1.
    fn read_dimensions(&mut self) -> Result<[u32; 3], Error> {
        let mut dimensions = [1; 3];
        for (index, dimension) in dimensions.iter_mut().enumerate() {
            if index > 0 && !self.tokens.skip_punct(b',') {
                break;
            }
            *dimension = self.read_number()?;
        }
        Ok(dimensions)
    }

    fn read_number(&mut self) -> Result<u32, Error> {
        let token = self.tokens.next();
        let value = match token {
            Some(Token::Word(word)) => integer(word),
            _ => None,
        };
        let at = token.map_or(self.tokens.at, |token| self.tokens.start_of(token));
        value.filter(|&value| value > 0).ok_or_else(|| self.malformed(at, "a bound of a kernel", "1..=4294967295"))
    }

    /// Skips past the `}` that closes the `{` just read.
    fn skip_block(&mut self, start: usize) -> Result<(), Error> {
        if self.tokens.skip_block() { Ok(()) } else { Err(self.malformed(start, "a block", "`}` at its end")) }
    }
}

#[derive(Default)]
struct Directives {
    bounds: Bounds,
    min_blocks_per_sm: Option<u32>,
}

/// Parses a PTX integer: decimal, `0x`, `0b` or octal with a leading 0, optionally with a `U` suffix.
fn integer(word: &[u8]) -> Option<u32> {
    let word = std::str::from_utf8(word).ok()?;
    let word = word.strip_suffix('U').unwrap_or(word);
    let (digits, radix) = match word.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&word[2..], 16),
        [b'0', b'b' | b'B', ..] => (&word[2..], 2),
        [b'0', _, ..] => (&word[1..], 8),
        _ => (word, 10),
    };
    u32::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Images, Origin, Problem, read};
    use crate::budget::Budget;
    use crate::image::{Bounds, KernelImage};
    use crate::origin::Format;
    use crate::text::tests::{kernels, read_all};
    use occ_core::LaunchBounds;
    use std::sync::Arc;

    const HEAD: &str = ".version 9.5\n.target sm_90\n.address_size 64\n";

    fn only(ptx: &str) -> KernelImage {
        let mut kernels = kernels(&[HEAD, ptx].concat());
        assert_eq!(kernels.len(), 1, "{ptx}");
        kernels.remove(0)
    }

    fn bounds(directives: &str) -> Bounds {
        only(&format!(".visible .entry k(.param .u64 p) {directives} {{ ret; }}")).bounds.unwrap()
    }

    fn required_block(block: [u32; 3]) -> LaunchBounds {
        LaunchBounds::new().required_block(block)
    }

    /// The expected values are the attributes in the cubins of `ptxas` 13.5.
    #[test]
    fn bounds_match_ptxas() {
        for (directives, expected) in [
            (".maxntid 0400,1,1", [256, 1, 1]),
            (".maxntid 0x10U, 0b11", [16, 3, 1]),
            (".maxntid 256 .maxntid 128", [128, 1, 1]),
            (".maxntid 2000", [2000, 1, 1]),
            (".pragma \"nounroll\"; .maxntid 32", [32, 1, 1]),
            (".maxntid\t256", [256, 1, 1]),
        ] {
            let expected = Bounds { max_threads: Some(expected), ..Bounds::default() };
            assert_eq!(bounds(directives), expected, "{directives}");
        }
        let required = bounds(".reqntid 0x20\n,\n/*c*/4 //x\n");
        assert_eq!(required, Bounds { launch: required_block([32, 4, 1]), ..Bounds::default() });
        assert_eq!(bounds(""), Bounds::default());
        assert_eq!(bounds(".pragma \"nounroll\";"), Bounds::default());
        for (cap, expected) in [(10, Some(24)), (40, Some(40)), (255, None), (256, None), (300, None)] {
            assert_eq!(bounds(&format!(".maxnreg {cap}")).max_registers, expected, "{cap}");
        }
        for (directives, expected) in [
            (".maxclusterrank 4", LaunchBounds::new().max_cluster_blocks(4)),
            (".explicitcluster", LaunchBounds::new().needs_cluster(true)),
            (
                ".explicitcluster .reqnctapercluster 2",
                LaunchBounds::new().required_cluster([2, 1, 1]).needs_cluster(true),
            ),
            (
                ".blocksareclusters .reqntid 32,4 .reqnctapercluster 2,2",
                required_block([32, 4, 1]).required_cluster([2, 2, 1]).grid_counts_clusters(true),
            ),
        ] {
            assert_eq!(bounds(directives).launch, expected, "{directives}");
        }
    }

    #[test]
    fn blocks_per_sm_need_a_block_size() {
        let minimum = |directives: &str| only(&format!(".entry k() {directives} {{}}")).min_blocks_per_sm;
        assert_eq!(minimum(".minnctapersm 2 .maxntid 256"), Some(2));
        assert_eq!(minimum(".reqntid 64 .minnctapersm 4"), Some(4));
        // Ignored, as by `ptxas`.
        assert_eq!(minimum(".minnctapersm 4"), None);
    }

    /// `ptxas` 13.5 rejects each at the same place.
    #[test]
    fn a_malformed_bound_is_an_error_with_its_offset() {
        for (directives, wrong) in [
            (".maxntid 16*16", "*16"),
            (".maxntid (256)", "(256)"),
            (".maxntid 0", "0 {"),
            (".maxntid 16,16,1,1", ",1 {"),
            (".maxntid 256,", "{"),
            (".maxntid -1", "-1"),
            (".maxntid 5000000000", "5000000000"),
            (".maxntid 64 ,, 2", ", 2"),
            (".maxnreg 0", "0 {"),
            (".maxntid 0x 40", "0x "),
            (".maxntid 1e2", "1e2"),
            (".maxntid 256.0", "256.0"),
            (".maxntid 09", "09"),
            (".reqntid", "{"),
            (".maxclusterrank .explicitcluster", ".explicit"),
        ] {
            let ptx = format!("{HEAD}.visible .entry k(.param .u64 p) {directives} {{ ret; }}");
            let error = read_all(ptx.as_bytes()).unwrap_err();
            assert!(matches!(error.problem, Problem::Malformed { .. }), "{directives}: {error}");
            assert_eq!(error.offset, ptx.find(wrong).unwrap() as u64, "{directives}: {error}");
        }
    }

    /// `ptxas` 13.5 compiles each to the named kernels.
    #[test]
    fn kernels_match_ptxas() {
        for (ptx, expected) in [
            (".visible .entry k .maxntid 32 { ret; }", &["k"][..]),
            (".visible .entry k() .maxntid 32 { ret; } .entry j() .maxntid 64 {{ret;}}", &["k", "j"]),
            (".visible .entry k(); .visible .entry k() .maxntid 32 { ret; }", &["k"]),
            (".file 1 \"x\"\n.file 2 \"a\\\\\"\n.visible .entry k() { ret; } .file 3 \"c\"", &["k"]),
            ("/* a /* b */ .visible .entry k() { /* } */ // }\n ret; }", &["k"]),
            (".const .align 1 .b8 s[3] = {1,2,3}; .visible .entry %k() { ret; }", &["%k"]),
            (".visible\n.entry\n//c\n_k$1\n(\n)\n.maxntid\n32\n{ ret; }", &["_k$1"]),
            (".visible .entry k() { .pragma \"nounroll }\"; ret; }", &["k"]),
            (".visible .func f() { ret; }\n.weak .entry k(.param .align 8 .b8 p[12]) { ret; }", &["k"]),
            (".visible .func f() { ret; }", &[]),
        ] {
            let kernels = kernels(&[HEAD, ptx].concat());
            let names: Vec<_> = kernels.iter().map(|kernel| &*kernel.name).collect();
            assert_eq!(names, expected, "{ptx}");
        }
    }

    /// Output of LLVM for `extern "ptx-kernel"` functions of Rust, with debug information.
    const LLVM: &str = "\
//
// Generated by LLVM NVPTX Back-End
//

.version 7.0
.target sm_80, debug
.address_size 64

	// .globl	fill                    // -- Begin function fill
                                        // @fill
.visible .entry fill(
	.param .u64 .ptr .align 1 fill_param_0,
	.param .u32 fill_param_1
)
.maxntid 128, 1, 1
.minnctapersm 2
.maxnreg 40
{
	.local .align 8 .b8 	__local_depot1[16];
	.loc	1 11 0
	ret;
                                        // -- End function
}
	// .globl	req                     // -- Begin function req
.visible .entry req(
	.param .u64 req_param_0
)
.reqntid 64, 2, 1                       // @req
{
	ret;
                                        // -- End function
}
	.file	1 \"C:\\kernels\\\"
	.section	.debug_abbrev
	{
.b8 1                                   // Abbreviation Code \"{
.b8 17
	}
	.section	.debug_macinfo	{	}
";

    #[test]
    fn the_output_of_llvm() {
        let kernels = kernels(LLVM);
        let [fill, required] = &kernels[..] else { panic!("{kernels:?}") };
        let expected = Bounds { max_threads: Some([128, 1, 1]), max_registers: Some(40), ..Bounds::default() };
        assert_eq!((fill.bounds, fill.min_blocks_per_sm), (Some(expected), Some(2)));
        let expected = Bounds { launch: required_block([64, 2, 1]), ..Bounds::default() };
        assert_eq!(required.bounds, Some(expected));
        assert_eq!(fill.target.unwrap().to_string(), "compute_80");
        assert_eq!(fill.origin.offset, LLVM.find(".visible .entry fill").unwrap() as u64);
        assert_eq!(required.origin.offset, LLVM.find(".visible .entry req").unwrap() as u64);
        // Unknown until the PTX is compiled.
        assert_eq!((fill.registers, fill.static_smem, fill.barriers, fill.stack), (None, None, None, None));
    }

    #[test]
    fn a_target_applies_until_the_next() {
        let module = |target: &str| format!(".version 8.8\n.target {target}\n.entry k() {{ ret; }}\n");
        let ptx: String = ["sm_90a", "texmode_independent, sm_100f", "sm_75, debug", "other"].map(module).concat();
        let targets: Vec<_> =
            kernels(&ptx).iter().map(|kernel| kernel.target.map(|target| target.to_string())).collect();
        let expected = [Some("compute_90a"), Some("compute_100f"), Some("compute_75"), None];
        assert_eq!(targets, expected.map(|target| target.map(str::to_owned)));
    }

    #[test]
    fn ptx_in_a_container_has_the_offset_of_its_entry() {
        let ptx = format!("{HEAD}.entry k() .maxntid 32 {{ ret; }}\0\0\0\0");
        let origin = Origin {
            container: Some(1),
            section: Some(Arc::from(".nv_fatbin")),
            offset: 4096,
            ..Origin::whole(Format::Ptx)
        };
        let budget = Budget::for_file(ptx.len());
        let mut images = Images::new(&budget, crate::images::Selection::All);
        read(Bytes::new(ptx.as_bytes(), 4096), &origin, &mut images).unwrap();
        assert_eq!(images.into_list()[0].origin, origin);
        let mut images = Images::new(&budget, crate::images::Selection::All);
        let error = read(Bytes::new(ptx.replace("32", "x").as_bytes(), 4096), &origin, &mut images).unwrap_err();
        assert_eq!(error.offset, 4096);
    }

    #[test]
    fn a_kernel_without_an_end_is_an_error() {
        for cut in [
            ".entry",
            ".entry k",
            ".entry k(.param",
            ".entry k() .maxntid 32",
            ".entry k() { ret; { }",
            ".entry .maxntid",
        ] {
            let error = read_all([HEAD, cut].concat().as_bytes()).unwrap_err();
            assert!(matches!(error.problem, Problem::Malformed { .. }), "{cut}: {error}");
            assert_eq!(error.offset, HEAD.len() as u64, "{cut}: {error}");
        }
    }

    #[test]
    fn an_unknown_directive_is_skipped_with_its_numbers() {
        let bounds = bounds(".new_bound (1, 2) 3 .maxntid 64");
        assert_eq!(bounds, Bounds { max_threads: Some([64, 1, 1]), ..Bounds::default() });
    }

    /// The rest of the text could hold kernels, so the list would be incomplete.
    #[test]
    fn an_unterminated_comment_or_string_is_an_error() {
        for (rest, mark) in [("/* .entry b() { ret; }", "/*"), (".file 1 \"x\n.entry b() { ret; }", "\"x")] {
            let text = format!(".version 8.0\n.target sm_80\n.entry a() {{}}\n{rest}");
            let error = crate::read(text.as_bytes()).unwrap_err();
            assert!(matches!(error.problem, Problem::Malformed { what: "PTX", .. }), "{error:?}");
            assert_eq!(Some(error.offset as usize), text.find(mark), "{error:?}");
        }
    }
}

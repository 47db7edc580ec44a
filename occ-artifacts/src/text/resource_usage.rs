//! Reads the text of `cuobjdump -res-usage`.
//!
//! It does not state whether the code is final. An object for device linking looks the same, but its shared memory does not
//! include the driver's reserve, and its stack, which is unknown, is printed as 0. Both are known only if other numbers of
//! the same cubin show which it is.

use super::input::{Found, Text};
use super::reserve::{FIRST_WITH_RESERVED_SMEM, has_no_reserve, static_smem};
use super::words::{self, number, target, unknown_target};
use crate::error::{Error, Problem};
use crate::image::{KernelImage, Stack};
use crate::images::Images;
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use occ_core::Code;
use std::sync::Arc;

pub(super) fn read(text: Text<'_>, images: &mut Images<'_>) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut cubins: Vec<Evidence> = Vec::new();
    walk(text, |event| {
        found.is_recognised = true;
        let Event::Function { cubin, function, .. } = event else { return Ok(()) };
        if cubins.len() <= cubin.index {
            let bytes = 2 * size_of::<Evidence>() as u64 * (cubin.index + 1 - cubins.len()) as u64;
            images.budget().take(bytes, function.offset, "the cubins of a text")?;
            cubins.resize(cubin.index + 1, Evidence::default());
        }
        if let Some(evidence) = cubins.get_mut(cubin.index) {
            evidence.add(&function);
        }
        Ok(())
    })?;
    let mut member: Option<(&str, Arc<str>)> = None;
    walk(text, |event| {
        let Event::Function { cubin, function } = event else { return Ok(()) };
        // Only kernels have parameters in constant memory; functions for device linking are listed too.
        if function.constant_bank_0.is_none() {
            return Ok(());
        }
        found.has_kernels = true;
        let mut image = image(cubin, &function, cubins.get(cubin.index).copied().unwrap_or_default())?;
        // All kernels of a member share its name.
        if let Some(name) = cubin.member {
            if member.as_ref().is_none_or(|(known, _)| *known != name) {
                member = Some((name, name.into()));
            }
            image.origin.member = member.as_ref().map(|(_, shared)| shared.clone());
        }
        images.push(image)
    })?;
    Ok(found)
}

/// Evidence from all functions of a cubin.
#[derive(Clone, Copy, Default)]
struct Evidence {
    /// Whether a stack is known, which proves final code.
    is_final: bool,
    /// Whether a size does not include the driver's reserve.
    has_no_reserve: bool,
}

impl Evidence {
    fn add(&mut self, function: &Function<'_>) {
        self.is_final |= matches!(function.stack, Some(Stack::Unbounded | Stack::Bytes(1..)));
        self.has_no_reserve |= has_no_reserve(function.smem.unwrap_or(0), function.constant_bank_0);
    }
}

fn image(cubin: &Cubin<'_>, function: &Function<'_>, evidence: Evidence) -> Result<KernelImage, Error> {
    if cubin.has_unknown_target {
        return Err(unknown_target(function.offset));
    }
    let origin = Origin { offset: function.offset, ..Origin::whole(Format::ResourceUsage) };
    let mut image = words::kernel(function.name, origin)?;
    let has_reserve = cubin.target.is_some_and(|target| target.number >= FIRST_WITH_RESERVED_SMEM);
    image.target = cubin.target;
    // A kernel has at least one register.
    image.registers = function.registers.filter(|&registers| registers > 0);
    // The size can be that of an object, or that of final code including the reserve.
    let is_ambiguous = has_reserve && !evidence.is_final && !evidence.has_no_reserve;
    image.static_smem = match function.smem {
        Some(1..) if is_ambiguous => None,
        size => size.and_then(|size| static_smem(size, cubin.target, evidence.has_no_reserve)),
    };
    image.is_linked = !(has_reserve && evidence.has_no_reserve);
    image.stack = match function.stack {
        // `cuobjdump` prints 0 for some kernels of 12.4 and 12.5 that have a stack. These toolkits write ABI 7.
        Some(Stack::Bytes(0)) if !(evidence.is_final && cubin.has_abi_8) => None,
        stack => stack,
    };
    Ok(image)
}

/// The information in a line, or in the two lines of a function.
enum Event<'a, 'c> {
    Function {
        cubin: &'c Cubin<'a>,
        function: Function<'a>,
    },
    /// A line that only `cuobjdump` prints.
    Heading,
}

/// The information in the headings of a list of functions.
#[derive(Clone, Copy, Default)]
struct Cubin<'a> {
    /// The number of the list, from 1.
    index: usize,
    member: Option<&'a str>,
    target: Option<CodeTarget>,
    /// Whether the heading has an unknown target.
    has_unknown_target: bool,
    has_abi_8: bool,
}

/// `Function NAME:` and the line that follows it.
struct Function<'a> {
    name: &'a str,
    offset: u64,
    registers: Option<u32>,
    smem: Option<u32>,
    stack: Option<Stack>,
    constant_bank_0: Option<u32>,
}

fn walk<'a>(text: Text<'a>, mut visit: impl FnMut(Event<'a, '_>) -> Result<(), Error>) -> Result<(), Error> {
    let mut cubin = Cubin::default();
    // The headings of the next list.
    let mut heading = Cubin::default();
    let mut function = None;
    for (offset, line) in text.lines() {
        let line = line.trim_ascii();
        if let Some(name) = line.strip_prefix("Function ").and_then(|rest| rest.strip_suffix(':')) {
            function = Some((name.trim_ascii(), offset));
            continue;
        }
        if let Some((name, offset)) = function.take()
            && line.split_ascii_whitespace().any(|token| token.starts_with("REG:"))
        {
            visit(Event::Function { cubin: &cubin, function: numbers(name, offset, line)? })?;
        } else if line.starts_with("Resource usage:") {
            cubin = Cubin { index: cubin.index + 1, ..heading };
            heading = Cubin { member: heading.member, ..Cubin::default() };
            visit(Event::Heading)?;
        } else if line.starts_with("Fatbin ") && line.ends_with(" code:") {
            heading = Cubin { member: heading.member, ..Cubin::default() };
            visit(Event::Heading)?;
        } else if let Some(name) = line.strip_prefix("arch = ") {
            heading.target = target(name, Code::Binary);
            heading.has_unknown_target = heading.target.is_none();
        } else if line.starts_with("code version = [1,8]") {
            heading.has_abi_8 = true;
        } else if let Some(path) = line.strip_prefix("member ").and_then(|rest| rest.strip_suffix(':')) {
            // `PATH:MEMBER`; a Windows path has colons too.
            let name = path.rsplit(':').next();
            heading = Cubin { member: name, ..Cubin::default() };
        } else if line.starts_with("cuobjdump info ") {
            visit(Event::Heading)?;
        }
    }
    Ok(())
}

/// Parses the `KEY:VALUE` words of a function; a value is a number or `UNKNOWN`.
fn numbers<'a>(name: &'a str, offset: u64, line: &str) -> Result<Function<'a>, Error> {
    let mut function = Function { name, offset, registers: None, smem: None, stack: None, constant_bank_0: None };
    let mut local = 0;
    for word in line.split_ascii_whitespace() {
        let Some((key, value)) = word.split_once(':') else { continue };
        let read = || match value {
            "UNKNOWN" => Ok(None),
            _ => number(value).map(Some).ok_or_else(|| {
                let problem = Problem::Malformed { what: "a resource of a function", expected: "a number or UNKNOWN" };
                Error::new(offset, problem)
            }),
        };
        match key {
            "REG" => function.registers = read()?,
            "SHARED" => function.smem = read()?,
            "STACK" => function.stack = Some(read()?.map_or(Stack::Unbounded, Stack::Bytes)),
            "LOCAL" => local = read()?.unwrap_or(0),
            "CONSTANT[0]" => function.constant_bank_0 = read()?,
            _ => {}
        }
    }
    if let Some(Stack::Bytes(stack)) = &mut function.stack {
        *stack = local.max(*stack);
    }
    Ok(function)
}

#[cfg(test)]
mod tests {
    use crate::error::Problem;
    use crate::image::{KernelImage, Stack};
    use crate::text::tests::{kernels, read_all};

    type Row<'a> = (&'a str, Option<String>, Option<u32>, Option<u32>, Option<Stack>);

    /// Returns name, target, registers, static shared memory and stack.
    fn row(kernel: &KernelImage) -> Row<'_> {
        let target = kernel.target.map(|target| target.to_string());
        (&kernel.name, target, kernel.registers, kernel.static_smem, kernel.stack)
    }

    fn named(target: &str) -> String {
        target.to_owned()
    }

    /// Returns the headings of a cubin in a fatbin.
    fn heading(arch: &str, abi: u32) -> String {
        format!(
            "\nFatbin elf code:\n================\narch = {arch}\ncode version = [1,{abi}]\nhost = linux\n\
             compile_size = 64bit\n\nResource usage:\n Common:\n  GLOBAL:0\n"
        )
    }

    const DBL: &str = " Function dbl:
  REG:28 STACK:40 SHARED:0 LOCAL:0 CONSTANT[2]:40 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0
";
    const CALLER: &str = " Function caller:
  REG:60 STACK:120 SHARED:1424 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
";
    const PLAIN: &str = " Function plain:
  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
";
    const DEVICE_FUNCTION: &str = " Function _Z3farPii:
  REG:0 STACK:0 SHARED:0 LOCAL:0 TEXTURE:0 SURFACE:0 SAMPLER:0
";
    /// 48 KiB with the driver's reserve, or 49 KiB without it.
    const LARGE: &str = " Function large:
  REG:10 STACK:0 SHARED:50176 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
";
    const OBJECT: &str = " Function caller:
  REG:24 STACK:0 SHARED:400 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
";

    #[test]
    fn the_reserve_is_subtracted_from_final_code_of_9_0() {
        let text = [&heading("sm_90a", 8), CALLER, PLAIN, LARGE, DEVICE_FUNCTION].concat();
        let kernels = kernels(&text);
        let rows: Vec<_> = kernels.iter().map(row).collect();
        let target = Some(named("sm_90a"));
        assert_eq!(
            rows,
            [
                ("caller", target.clone(), Some(60), Some(400), Some(Stack::Bytes(120))),
                ("plain", target.clone(), Some(8), Some(0), Some(Stack::Bytes(0))),
                ("large", target, Some(10), Some(49_152), Some(Stack::Bytes(0))),
            ]
        );
        assert!(kernels.iter().all(|kernel| kernel.is_linked && kernel.barriers.is_none()));
        assert_eq!(kernels[0].origin.offset, text.find(CALLER).unwrap() as u64);
    }

    #[test]
    fn objects_of_9_0_have_no_reserve() {
        let kernels = kernels(&[&heading("sm_90", 8), OBJECT, LARGE].concat());
        let rows: Vec<_> = kernels.iter().map(row).collect();
        assert_eq!(rows[0], ("caller", Some(named("sm_90")), Some(24), Some(400), None));
        assert_eq!(rows[1], ("large", Some(named("sm_90")), Some(10), Some(50_176), None));
        assert!(kernels.iter().all(|kernel| !kernel.is_linked));
    }

    #[test]
    fn without_evidence_the_shared_memory_of_9_0_is_unknown() {
        let kernels = kernels(&[&heading("sm_90", 8), LARGE, PLAIN].concat());
        let rows: Vec<_> = kernels.iter().map(row).collect();
        assert_eq!(rows[0], ("large", Some(named("sm_90")), Some(10), None, None));
        assert_eq!(rows[1], ("plain", Some(named("sm_90")), Some(8), Some(0), None));
    }

    #[test]
    fn a_lone_cubin_has_no_target() {
        // 360 bytes of constant memory are too few for a target whose sizes include the reserve.
        let large = LARGE.replace("536", "360");
        let list = "\nResource usage:\n Common:\n  GLOBAL:0\n";
        let of_80 = kernels(&[list, DBL, &large].concat());
        assert_eq!(row(&of_80[0]), ("dbl", None, Some(28), Some(0), Some(Stack::Bytes(40))));
        assert_eq!(row(&of_80[1]), ("large", None, Some(10), Some(50_176), None));
        let of_90 = kernels(&[list, CALLER].concat());
        assert_eq!(row(&of_90[0]), ("caller", None, Some(60), None, Some(Stack::Bytes(120))));
        // A cubin after a fatbin does not inherit its target.
        let both = kernels(&[&heading("sm_90", 8), CALLER, list, CALLER].concat());
        assert_eq!((row(&both[0]).1, row(&both[1]).1), (Some(named("sm_90")), None));
    }

    #[test]
    fn a_stack_of_0_is_trusted_only_with_abi_8() {
        // `cuobjdump` prints 0 for a kernel of 12.4 that calls functions and has a stack of 152.
        let calls = DBL.replace("dbl", "calls").replace("STACK:40", "STACK:0");
        for (abi, stack) in [(7, None), (8, Some(Stack::Bytes(0)))] {
            let kernels = kernels(&[&heading("sm_75", abi), DBL, &calls].concat());
            assert_eq!(kernels[0].stack, Some(Stack::Bytes(40)));
            assert_eq!(kernels[1].stack, stack, "ABI {abi}");
        }
        let unknown = DBL.replace("STACK:40", "STACK:UNKNOWN");
        assert_eq!(kernels(&unknown)[0].stack, Some(Stack::Unbounded));
    }

    #[test]
    fn numbers_can_have_any_order() {
        let text = " Function dbl:\r\n\tCONSTANT[0]:360 SAMPLER:0 LOCAL:0 SHARED:48 NEW:x STACK:40 REG:28\r\n";
        let kernels = kernels(text);
        assert_eq!(row(&kernels[0]), ("dbl", None, Some(28), Some(48), Some(Stack::Bytes(40))));
    }

    #[test]
    fn members_of_archives_and_concatenated_entries_are_told_apart() {
        let text = [
            "\nmember libk.a:one.o:\n",
            &heading("sm_80", 8),
            DBL,
            "\nFatbin ptx code:\n================\narch = sm_80\ncode version = [9,5]\ncompressed\n",
            "\nmember C:\\libk.a:two.o:\n",
            "\nFatbin concatenated entry code:\n===============================\ncode version = [0,1]\n",
            &heading("sm_80", 8).replace('\n', "\n\t"),
            DBL,
            &heading("sm_90a", 8).replace('\n', "\n\t"),
            CALLER,
        ];
        let kernels = kernels(&text.concat());
        let found: Vec<_> = kernels.iter().map(|kernel| (kernel.origin.member.as_deref(), row(kernel).1)).collect();
        assert_eq!(
            found,
            [
                (Some("one.o"), Some(named("sm_80"))),
                (Some("two.o"), Some(named("sm_80"))),
                (Some("two.o"), Some(named("sm_90a")))
            ]
        );
    }

    #[test]
    fn a_text_without_kernels_is_an_error() {
        for text in [
            "cuobjdump info    : File 'k.ptx' does not contain device code\n",
            "\nFatbin ptx code:\n================\narch = sm_80\n",
            &[&heading("sm_80", 8), DEVICE_FUNCTION].concat(),
        ] {
            assert_eq!(read_all(text.as_bytes()).unwrap_err().problem, Problem::NoKernels, "{text}");
        }
    }

    #[test]
    fn a_malformed_number_is_an_error() {
        let text = DBL.replace("REG:28", "REG:many");
        let error = read_all(text.as_bytes()).unwrap_err();
        assert_eq!(error.offset, 0);
        assert!(matches!(error.problem, Problem::Malformed { .. }), "{error}");
    }
}

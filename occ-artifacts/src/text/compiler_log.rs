//! Reads the logs of `ptxas -v`, `nvcc --resource-usage`, NVRTC and `nvlink -v`.
//!
//! A log does not state whether the code is final. It is assumed to be, unless the linker prints the same kernel, or a stack
//! lacks the sum that `ptxas` prints for final code.

mod walk;

use super::input::{Found, Text};
use super::reserve::{has_no_reserve, linked_smem};
use super::words::{self, unknown_target};
use crate::error::Error;
use crate::image::{KernelImage, Stack};
use crate::images::Images;
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use std::collections::{HashMap, HashSet};
use walk::{Event, Kernel, walk};

pub(super) fn read(text: Text<'_>, images: &mut Images<'_>) -> Result<Found, Error> {
    let mut facts = Facts::default();
    walk(text, |event| facts.add(event, images))?;
    let mut found =
        Found { is_recognised: facts.is_log, is_before_linking: facts.is_before_linking, ..Found::default() };
    if facts.has_kernels {
        walk(text, |event| {
            let Event::Kernel(kernel) = event else { return Ok(()) };
            found.has_kernels = true;
            images.push(facts.image(&kernel)?)
        })?;
    }
    Ok(found)
}

/// Facts about kernels from the whole log.
#[derive(Default)]
struct Facts<'a> {
    is_log: bool,
    is_before_linking: bool,
    has_kernels: bool,
    /// Kernels with an unbounded stack.
    unbounded: HashSet<&'a str>,
    /// Kernels that the linker prints.
    linked: HashSet<&'a str>,
    /// The target of each kernel; `None` if it was compiled for several.
    targets: HashMap<&'a str, Option<CodeTarget>>,
    modules: Vec<Module>,
}

#[derive(Clone, Copy, Default)]
struct Module {
    /// Whether stacks are not summed up: the module is an object for device linking.
    is_object: bool,
    /// Whether the linker's sizes do not include the driver's reserve.
    has_no_reserve: bool,
}

impl<'a> Facts<'a> {
    fn add(&mut self, event: Event<'a>, images: &Images<'_>) -> Result<(), Error> {
        self.is_log = true;
        // An entry of a map or vector, whose capacity can be twice its length.
        let take = |offset| images.budget().take(128, offset, "the kernels of a log");
        match event {
            Event::Kernel(kernel) => {
                take(kernel.offset)?;
                self.has_kernels = true;
                self.add_kernel(&kernel);
            }
            Event::Unbounded { name, offset } => {
                take(offset)?;
                self.unbounded.insert(name);
            }
            Event::Module { offset } => take(offset)?,
            Event::BeforeLinking => self.is_before_linking = true,
        }
        Ok(())
    }

    fn add_kernel(&mut self, kernel: &Kernel<'a>) {
        if self.modules.len() <= kernel.module {
            self.modules.resize(kernel.module + 1, Module::default());
        }
        let usage = kernel.usage.unwrap_or_default();
        let module = self.modules.get_mut(kernel.module);
        if kernel.is_linker {
            self.linked.insert(kernel.name);
            if let Some(module) = module {
                module.has_no_reserve |= has_no_reserve(usage.smem, usage.constant_bank_0);
            }
            return;
        }
        self.targets
            .entry(kernel.name)
            .and_modify(|known| *known = known.filter(|&target| Some(target) == kernel.target))
            .or_insert(kernel.target);
        // A `ptxas` that prints barriers (12.6 and later) sums up every stack of final code.
        let frame = kernel.properties.map_or(0, |properties| properties.frame);
        if let Some(module) = module {
            module.is_object |= frame > 0 && usage.barriers.is_some() && usage.stack.is_none();
        }
    }

    fn image(&self, kernel: &Kernel<'_>) -> Result<KernelImage, Error> {
        let module = self.modules.get(kernel.module).copied().unwrap_or_default();
        // A kernel without a target would match any.
        if !kernel.is_linker && kernel.target.is_none() {
            return Err(unknown_target(kernel.offset));
        }
        let origin = Origin { offset: kernel.offset, ..Origin::whole(Format::CompilerLog) };
        let mut image = words::kernel(kernel.name, origin)?;
        image.spills = kernel.properties.and_then(|properties| properties.spills);
        image.registers = kernel.usage.map(|usage| usage.registers);
        image.barriers = kernel.usage.and_then(|usage| usage.barriers);
        if kernel.is_linker {
            image.target = self.targets.get(kernel.name).copied().flatten();
            image.static_smem =
                kernel.usage.and_then(|usage| linked_smem(usage.smem, image.target, module.has_no_reserve));
        } else {
            image.target = kernel.target;
            image.static_smem = kernel.usage.map(|usage| usage.smem);
            image.is_linked = !module.is_object && !self.linked.contains(kernel.name);
        }
        image.stack = if self.unbounded.contains(kernel.name) {
            Some(Stack::Unbounded)
        } else {
            stack(kernel, image.is_linked).map(Stack::Bytes)
        };
        Ok(image)
    }
}

/// Returns the stack of a kernel including called functions, if the log tells it.
fn stack(kernel: &Kernel<'_>, is_linked: bool) -> Option<u32> {
    let frame = kernel.properties.map(|properties| properties.frame);
    match (kernel.usage?.stack, frame) {
        (Some(stack), frame) => Some(stack.max(frame.unwrap_or(0))),
        // Without the sum, the frame is the stack only if the code is final and calls nothing.
        (None, frame) => frame.filter(|_| is_linked && !kernel.has_calls),
    }
}

#[cfg(test)]
mod tests {
    use crate::error::Problem;
    use crate::image::{KernelImage, Spills, Stack};
    use crate::target::CodeTarget;
    use crate::text::tests::{kernels, read_all};
    use occ_core::{Code, Portability};

    /// Returns the only kernel with this name.
    fn find<'a>(kernels: &'a [KernelImage], name: &str) -> &'a KernelImage {
        let mut found = kernels.iter().filter(|kernel| &*kernel.name == name);
        let kernel = found.next().unwrap_or_else(|| panic!("no {name} in {kernels:?}"));
        assert!(found.next().is_none(), "{name} twice");
        kernel
    }

    fn binary(number: u32, portability: Portability) -> CodeTarget {
        CodeTarget { number, code: Code::Binary, portability }
    }

    /// Returns registers, static shared memory, barriers and stack.
    fn resources(kernel: &KernelImage) -> (Option<u32>, Option<u32>, Option<u32>, Option<Stack>) {
        (kernel.registers, kernel.static_smem, kernel.barriers, kernel.stack)
    }

    // The expected values are those of the cubins from the same compilation: REGCOUNT, NUM_BARRIERS, the size of the shared
    // section and the largest stack record.

    #[test]
    fn ptxas_12_0_prints_neither_barriers_nor_whole_stacks() {
        let log = "\
ptxas warning : Stack size for entry function 'k_rec' cannot be statically determined
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'smem_odd' for 'sm_80'
ptxas info    : Function properties for smem_odd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 11 registers, 144 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'spill' for 'sm_80'
ptxas info    : Function properties for spill
    800 bytes stack frame, 888 bytes spill stores, 1836 bytes spill loads
ptxas info    : Used 32 registers, 368 bytes cmem[0]
ptxas info    : Compiling entry function 'k_rec' for 'sm_80'
ptxas info    : Function properties for k_rec
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, 360 bytes cmem[0]
ptxas info    : Function properties for rec
    24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads
ptxas info    : Compiling entry function 'k_leaf1' for 'sm_80'
ptxas info    : Function properties for k_leaf1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, 360 bytes cmem[0]
ptxas info    : Function properties for leaf
    152 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads
";
        let kernels = kernels(log);
        assert_eq!(kernels.len(), 4);
        let odd = find(&kernels, "smem_odd");
        assert_eq!(resources(odd), (Some(11), Some(144), None, Some(Stack::Bytes(0))));
        assert_eq!(odd.target, Some(binary(80, Portability::Base)));
        assert_eq!(odd.origin.offset, log.find("ptxas info    : Compiling entry").unwrap() as u64);
        let spill = find(&kernels, "spill");
        assert_eq!(resources(spill), (Some(32), Some(0), None, Some(Stack::Bytes(800))));
        assert_eq!(spill.spills, Some(Spills { stores: 888, loads: 1836 }));
        let recursive = find(&kernels, "k_rec");
        assert_eq!(resources(recursive), (Some(24), Some(0), None, Some(Stack::Unbounded)));
        assert_eq!(recursive.spills, Some(Spills { stores: 0, loads: 0 }), "those of `rec` are its own");
        // 152 with the functions it calls.
        assert_eq!(resources(find(&kernels, "k_leaf1")), (Some(30), Some(0), None, None));
    }

    #[test]
    fn ptxas_12_4_sums_up_some_stacks() {
        let log = "\
ptxas warning : Stack size for entry function 'k_frame_rec' cannot be statically determined
ptxas info    : 16 bytes gmem, 8 bytes cmem[4]
ptxas info    : Compiling entry function 'loc' for 'sm_80'
ptxas info    : Function properties for loc
    400 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 19 registers, 400 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Compiling entry function 'k_leaf1' for 'sm_80'
ptxas info    : Function properties for k_leaf1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, 360 bytes cmem[0]
ptxas info    : Function properties for leaf
    152 bytes stack frame, 32 bytes spill stores, 32 bytes spill loads
ptxas info    : Compiling entry function 'k_frame_rec' for 'sm_80'
ptxas info    : Function properties for k_frame_rec
    120 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, 120 bytes cumulative stack size, 364 bytes cmem[0]
ptxas info    : Function properties for rec
    24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads
";
        let kernels = kernels(log);
        assert_eq!(find(&kernels, "loc").stack, Some(Stack::Bytes(400)));
        assert_eq!(find(&kernels, "k_leaf1").stack, None);
        assert_eq!(find(&kernels, "k_frame_rec").stack, Some(Stack::Unbounded));
        assert!(kernels.iter().all(|kernel| kernel.is_linked && kernel.barriers.is_none()));
    }

    #[test]
    fn ptxas_13_5_prints_barriers_and_whole_stacks() {
        let log = "\
ptxas info    : 277 bytes gmem
ptxas info    : Compiling entry function 'bar05' for 'sm_100a'
ptxas info    : Function properties for bar05
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 6 barriers
ptxas info    : Compile time = 0.745 ms
ptxas info    : Compiling entry function 'smem_48k' for 'sm_100a'
ptxas info    : Function properties for smem_48k
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 49152 bytes smem
ptxas info    : Compile time = 1.012 ms
ptxas info    : Compiling entry function 'dbl' for 'sm_100a'
ptxas info    : Function properties for dbl
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 28 registers, used 0 barriers, 40 bytes cumulative stack size
ptxas info    : Compile time = 16.737 ms
ptxas info    : Function properties for __internal_trig_reduction_slowpathd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let kernels = kernels(log);
        assert_eq!(resources(find(&kernels, "bar05")), (Some(8), Some(0), Some(6), Some(Stack::Bytes(0))));
        assert_eq!(resources(find(&kernels, "smem_48k")), (Some(10), Some(49_152), Some(1), Some(Stack::Bytes(0))));
        assert_eq!(resources(find(&kernels, "dbl")), (Some(28), Some(0), Some(0), Some(Stack::Bytes(40))));
        assert!(
            kernels.iter().all(|kernel| kernel.target == Some(binary(100, Portability::Specific)) && kernel.is_linked)
        );
        assert!(kernels.iter().all(|kernel| kernel.bounds.is_none() && kernel.min_blocks_per_sm.is_none()));
    }

    #[test]
    fn a_stack_without_a_sum_shows_an_object() {
        let log = "\
ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function 'k_frame_rec' for 'sm_80'
ptxas info    : Function properties for k_frame_rec
    120 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 364 bytes cmem[0]
ptxas info    : Compiling entry function 'k_leaf1' for 'sm_80'
ptxas info    : Function properties for k_leaf1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 360 bytes cmem[0]
";
        // After linking they are unbounded and 120 bytes.
        let kernels = kernels(log);
        assert!(kernels.iter().all(|kernel| !kernel.is_linked && kernel.stack.is_none()), "{kernels:?}");
    }

    const OBJECT: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'caller' for 'sm_90'
ptxas info    : Function properties for caller
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 400 bytes smem
";
    const LINKER_90: &str = "\
nvlink info    : 0 bytes gmem
nvlink info    : Function properties for 'caller':
nvlink info    : used 60 registers, used 4 barriers, 120 stack, 1424 bytes smem, 536 bytes cmem[0], 0 bytes lmem
nvlink info    : Function properties for 'plain':
nvlink info    : used 8 registers, used 4 barriers, 0 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem
";
    const LINKER_80: &str = "\
nvlink warning : Stack size for entry function 'recursive' cannot be statically determined
nvlink info    : 0 bytes gmem
nvlink info    : Function properties for 'large':
nvlink info    : used 54 registers, 120 stack, 2000 bytes smem, 360 bytes cmem[0], 0 bytes lmem
nvlink info    : Function properties for 'recursive':
nvlink info    : used 24 registers, 0 stack, 0 bytes smem, 360 bytes cmem[0], 0 bytes lmem
";

    #[test]
    fn the_linkers_numbers_are_final() {
        let kernels = kernels(&[OBJECT, LINKER_90].concat());
        let [object, linked, plain] = &kernels[..] else { panic!("{kernels:?}") };
        assert!(!object.is_linked && linked.is_linked && plain.is_linked);
        assert_eq!(resources(object), (Some(24), Some(400), Some(1), None));
        // The target comes from the compiler's lines.
        assert_eq!(linked.target, Some(binary(90, Portability::Base)));
        // It has 4 barriers, but the linker could also have printed that for a kernel without any.
        assert_eq!(resources(linked), (Some(60), Some(400), None, Some(Stack::Bytes(120))));
        assert_eq!((plain.target, plain.static_smem), (None, Some(0)));
        // The linker prints 4 for it too, but it has none.
        assert_eq!(plain.barriers, None);
    }

    #[test]
    fn a_linkers_log_alone_has_no_target() {
        let of_90 = kernels(LINKER_90);
        assert_eq!(resources(&of_90[0]), (Some(60), None, None, Some(Stack::Bytes(120))));
        // Constant memory of 360 bytes is too little for targets whose sizes hold the driver's part.
        let of_80 = kernels(LINKER_80);
        assert_eq!(resources(&of_80[0]), (Some(54), Some(2000), None, Some(Stack::Bytes(120))));
        assert_eq!(resources(&of_80[1]), (Some(24), Some(0), None, Some(Stack::Unbounded)));
        assert!(of_90.iter().chain(&of_80).all(|kernel| kernel.target.is_none() && kernel.is_linked));
    }

    #[test]
    fn a_kernel_of_several_targets_is_linked_for_an_unknown_one() {
        let other = OBJECT.replace("sm_90", "sm_80");
        let kernels = kernels(&[OBJECT, &other, LINKER_90].concat());
        let targets: Vec<_> = kernels.iter().map(|kernel| kernel.target).collect();
        assert_eq!(targets, [Some(binary(90, Portability::Base)), Some(binary(80, Portability::Base)), None, None]);
        assert_eq!(kernels[2].static_smem, None);
    }

    /// One kernel as it comes out of `ptxas` alone.
    const PLAIN: &str = "\
ptxas info    : Compiling entry function '_Z4tmplIfEvPT_' for 'sm_120f'
ptxas info    : Function properties for _Z4tmplIfEvPT_
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 8 bytes cumulative stack size, 132 bytes smem
";

    #[test]
    fn what_happens_to_logs_on_their_way_changes_nothing() {
        let expected = kernels(PLAIN);
        assert_eq!(resources(&expected[0]), (Some(10), Some(132), Some(1), Some(Stack::Bytes(8))));
        assert_eq!(expected[0].target, Some(binary(120, Portability::Family)));
        let every_line = |prefix: &str| PLAIN.lines().flat_map(|line| [prefix, line, "\n"]).collect::<String>();
        for changed in [
            PLAIN.replace('\n', "\r\n"),
            PLAIN.replace("    ", " "),
            PLAIN.replace("ptxas info", "ptxas-13 info"),
            PLAIN.replace("    8 bytes stack", "ptxas         .     8 bytes stack"),
            PLAIN.replace("'_", "\u{2018}_").replace("' for 'sm_120f'", "\u{2019} for \u{2018}sm_120f\u{2019}"),
            PLAIN.replace('\'', "\""),
            PLAIN.replace("smem\n", "smem"),
            every_line("warning: kernels@0.1.0: "),
            every_line("[build] "),
            every_line("  "),
            every_line("\u{1b}[33m"),
            format!("\u{feff}{PLAIN}"),
        ] {
            let mut found = kernels(&changed);
            found[0].origin = expected[0].origin.clone();
            assert_eq!(found, expected, "{changed}");
        }
    }

    #[test]
    fn demangled_names_stay_as_they_are() {
        let log = PLAIN.replace("_Z4tmplIfEvPT_", "void tmpl<float>(float*)");
        assert_eq!(&*kernels(&log)[0].name, "void tmpl<float>(float*)");
        assert_eq!(kernels(&log)[0].stack, Some(Stack::Bytes(8)));
    }

    #[test]
    fn compilers_that_write_in_turns_are_not_mixed_up() {
        let first = PLAIN.replace("_Z4tmplIfEvPT_", "first").replace("Used 10", "Used 20");
        let second = PLAIN.replace("_Z4tmplIfEvPT_", "second");
        let mixed: String =
            first.lines().zip(second.lines()).flat_map(|(one, other)| [one, "\n", other, "\n"]).collect();
        let kernels = kernels(&[&mixed, PLAIN].concat());
        let registers: Vec<_> = kernels.iter().map(|kernel| (&*kernel.name, kernel.registers)).collect();
        assert_eq!(registers, [("first", None), ("second", None), ("_Z4tmplIfEvPT_", Some(10))]);
        assert!(kernels[..2].iter().all(|kernel| kernel.static_smem.is_none() && kernel.spills.is_none()));
    }

    #[test]
    fn a_compiler_that_fails_leaves_its_kernel_unknown() {
        let begun = PLAIN.lines().next().unwrap();
        for failure in ["ptxas fatal   : Memory allocation failure", "ptxas k.ptx, line 5; error   : no"] {
            let kernels = kernels(&format!("{begun}\n{failure}\n{PLAIN}"));
            assert_eq!(kernels.iter().map(|kernel| kernel.registers).collect::<Vec<_>>(), [None, Some(10)]);
        }
        assert_eq!(kernels(begun)[0].static_smem, None);
    }

    #[test]
    fn a_log_without_kernels_says_so() {
        let notice = "nvcc warning : Resource usage is not shown as the final resource allocation is not done.\n";
        assert_eq!(read_all(notice.as_bytes()).unwrap_err().problem, Problem::BeforeLinking);
        assert_eq!(read_all(b"ptxas info    : 0 bytes gmem\n").unwrap_err().problem, Problem::NoKernels);
        assert_eq!(kernels(&[notice, PLAIN].concat()).len(), 1);
    }

    #[test]
    fn a_number_that_cannot_be_read_is_an_error() {
        let log = PLAIN.replace("132 bytes smem", "16+16 bytes smem");
        let error = read_all(log.as_bytes()).unwrap_err();
        assert_eq!(error.offset, log.find("ptxas info    : Used").unwrap() as u64);
        assert!(matches!(error.problem, Problem::Malformed { .. }), "{error}");
        let log = PLAIN.replace("Used 10", "Used 99999999999");
        assert!(matches!(read_all(log.as_bytes()).unwrap_err().problem, Problem::Malformed { .. }));
    }
}

//! Compares every value of a kernel with the output of NVIDIA's tools.

use super::cuobjdump::{Elf, FunctionUsage, Usage};
use super::kernels::MIN_BLOCKS;
use super::log::Logged;
use super::tally::{Reader, Reference, Tally};
use super::tools::{Version, capability};
use occ_artifacts::{KernelImage, LaunchBounds, Portability, Spills, Stack, TensorMemory};

/// The known errors and omissions of the tools.
pub(crate) mod known {
    pub(crate) const TEXTURE_LOG_107: &str =
        "sm_107, textures and surfaces: `ptxas` adds a support routine with 24 registers after it has printed its log";
    pub(crate) const TEXTURE_STACK_107: &str =
        "sm_107, textures and surfaces: the routine's stack is in FRAME_SIZE only, cuobjdump prints MIN_STACK_SIZE, 0";
    pub(crate) const SECOND_STACK: &str =
        "12.4 and 12.5 write a second stack record of 0, and cuobjdump prints that one";
    pub(crate) const NVLINK_BARRIERS: &str =
        "`nvlink -v` repeats the barriers of the previous kernel for a kernel without any";
    pub(crate) const REFUSED_OLD: &str = "cuobjdump 13.5 refuses cubins of 12.0 to 12.2 for 7.0 and later";
    pub(crate) const LARGE_SMEM: &str = "this `ptxas` allows no more than 48 KiB for this target";
}

/// The cubin whose kernels are compared.
pub(crate) struct Case<'a> {
    /// The description in differences.
    pub(crate) place: &'a str,
    pub(crate) toolkit: Version,
    /// The target it was compiled for, `sm_90a`.
    pub(crate) target: &'a str,
}

impl Case<'_> {
    fn place_of(&self, name: &str) -> String {
        format!("{}: {name}", self.place)
    }

    /// Compares with the log of `ptxas -v`.
    pub(crate) fn log(&self, reader: Reader, image: &KernelImage, log: &Logged, tally: &mut Tally) {
        let place = self.place_of(&image.name);
        if self.is_texture_107(&log.name) && reader == Reader::Binary && image.registers != Some(log.registers) {
            tally.known(known::TEXTURE_LOG_107);
            return;
        }
        let what = |quantity| (reader, quantity, Reference::PtxasLog);
        tally.check(what("registers"), true, &image.registers, &Some(log.registers), &place);
        tally.check(what("static smem"), log.smem > 0, &image.static_smem, &Some(log.smem), &place);
        if log.barriers.is_some() || reader == Reader::Log {
            tally.check(what("barriers"), log.barriers > Some(0), &image.barriers, &log.barriers, &place);
        }
        if reader == Reader::Log {
            let spills = Some(Spills { stores: log.spill_stores, loads: log.spill_loads });
            tally.check(what("spills"), log.spill_stores > 0, &image.spills, &spills, &place);
        } else {
            tally.check(what("spills"), true, &image.spills, &None, &place);
        }
        if reader == Reader::Binary {
            self.stack_log(image, log, tally);
        }
    }

    fn stack_log(&self, image: &KernelImage, log: &Logged, tally: &mut Tally) {
        let place = self.place_of(&image.name);
        let what = |quantity| (Reader::Binary, quantity, Reference::PtxasLog);
        // The stack is at least the kernel's own frame. If the log does not count called functions, it is only this bound.
        let min_stack = log.stack.unwrap_or(0).max(log.frame);
        let is_exact = self.toolkit >= (12, 6) || log.stack.is_some() || log.frame > 0 || !calls(&log.name);
        if log.is_unbounded {
            tally.check(what("unbounded stack"), true, &image.stack, &Some(Stack::Unbounded), &place);
        } else if image.stack == Some(Stack::Unbounded) {
            // Some versions do not warn.
            tally.check(what("unbounded stack"), true, &log.name.contains("recurses"), &true, &place);
        } else if is_exact && image.is_linked {
            tally.check(what("stack"), min_stack > 0, &image.stack, &Some(Stack::Bytes(min_stack)), &place);
        }
    }

    /// Compares values read from a text, which can be incomplete, with those of the cubin.
    pub(crate) fn text(&self, reader: Reader, text: &KernelImage, cubin: &KernelImage, tally: &mut Tally) {
        if self.is_texture_107(&text.name) {
            return;
        }
        let place = self.place_of(&text.name);
        let what = |quantity| (reader, quantity, Reference::Cubin);
        tally.check(what("registers"), true, &text.registers, &cubin.registers, &place);
        if text.static_smem.is_some() {
            let is_nontrivial = cubin.static_smem > Some(0);
            tally.check(what("static smem"), is_nontrivial, &text.static_smem, &cubin.static_smem, &place);
        }
        if text.barriers.is_some() {
            tally.check(what("barriers"), cubin.barriers > Some(0), &text.barriers, &cubin.barriers, &place);
        }
        // For objects for linking, the log has the stack and the cubin does not.
        if text.stack.is_some() && cubin.is_linked {
            let is_nontrivial = cubin.stack != Some(Stack::Bytes(0));
            tally.check(what("stack"), is_nontrivial, &text.stack, &cubin.stack, &place);
        }
    }

    /// Compares with the log of `nvlink -v`.
    pub(crate) fn nvlink(&self, image: &KernelImage, log: &Logged, tally: &mut Tally) {
        let place = self.place_of(&image.name);
        let what = |quantity| (Reader::Binary, quantity, Reference::NvlinkLog);
        tally.check(what("registers"), true, &image.registers, &Some(log.registers), &place);
        // The log includes the driver's reserve for 9.0, but not from 10.0 on.
        let capability = if self.capability() >= 100 { 0 } else { self.capability() };
        let smem = image.static_smem.map(|own| with_reserve(own, log.smem, capability));
        tally.check(what("static smem"), log.smem > 0, &smem, &Some(log.smem), &place);
        if image.barriers == Some(0) && log.barriers != Some(0) {
            tally.known(known::NVLINK_BARRIERS);
        } else {
            tally.check(what("barriers"), log.barriers > Some(0), &image.barriers, &log.barriers, &place);
        }
        if image.stack != Some(Stack::Unbounded) {
            let stack = log.stack.map(Stack::Bytes);
            tally.check(what("stack"), log.stack > Some(0), &image.stack, &stack, &place);
        }
    }

    /// Compares with `cuobjdump -res-usage` of the same cubin.
    pub(crate) fn usage(&self, images: &[&KernelImage], usage: &Usage, tally: &mut Tally) {
        for image in images {
            match usage.functions.iter().find(|function| *function.name == *image.name) {
                Some(function) => self.function_usage(image, function, tally),
                None => tally.difference(format!("{}: not in `cuobjdump -res-usage`", self.place_of(&image.name))),
            }
        }
    }

    fn function_usage(&self, image: &KernelImage, function: &FunctionUsage, tally: &mut Tally) {
        let place = self.place_of(&image.name);
        let what = |quantity| (Reader::Binary, quantity, Reference::CuobjdumpUsage);
        tally.check(what("registers"), true, &image.registers, &Some(function.registers), &place);
        let capability = if image.is_linked { self.capability() } else { 0 };
        let smem = image.static_smem.map(|own| with_reserve(own, function.smem, capability));
        tally.check(what("static smem"), function.smem > 0, &smem, &Some(function.smem), &place);
        let stack = match (function.stack, image.is_linked) {
            (None, _) => Some(Stack::Unbounded),
            // Objects for linking do not store the stack; `cuobjdump` prints 0.
            (Some(0), false) => None,
            (Some(bytes), _) => Some(Stack::Bytes(bytes)),
        };
        let is_second_record = matches!(self.toolkit, (12, 4 | 5)) && stack == Some(Stack::Bytes(0));
        if is_second_record && image.stack != stack {
            tally.known(known::SECOND_STACK);
        } else if self.is_texture_107(&image.name) && stack == Some(Stack::Bytes(0)) && image.stack != stack {
            tally.known(known::TEXTURE_STACK_107);
        } else {
            tally.check(what("stack"), stack != Some(Stack::Bytes(0)), &image.stack, &stack, &place);
        }
    }

    /// Compares with `cuobjdump -elf` of the same cubin.
    pub(crate) fn elf(&self, images: &[&KernelImage], elf: &Elf, tally: &mut Tally) {
        let mut ours: Vec<_> = images.iter().map(|image| image.name.to_string()).collect();
        let mut theirs = elf.entries.clone();
        ours.sort();
        theirs.sort();
        let what = (Reader::Binary, "names", Reference::CuobjdumpElf);
        tally.check(what, !theirs.is_empty(), &ours, &theirs, &self.place);
        for image in images {
            self.kernel_elf(image, elf, tally);
        }
    }

    fn kernel_elf(&self, image: &KernelImage, elf: &Elf, tally: &mut Tally) {
        let name = &*image.name;
        let place = self.place_of(name);
        let what = |quantity| (Reader::Binary, quantity, Reference::CuobjdumpElf);
        let arch = image.target.map(|target| {
            // Suffix f is stored in the fatbin, not in the cubin.
            let suffix = if target.portability == Portability::Specific { "a" } else { "" };
            format!("{}{suffix}", target.number)
        });
        tally.check(what("target"), true, &arch, &Some(elf.arch.clone()), &place);
        let toolkit = image.toolkit.map(|toolkit| toolkit.major * 10 + toolkit.minor);
        tally.check(what("toolkit"), true, &toolkit, &Some(elf.toolkit), &place);
        tally.check(what("is linked"), elf.is_linked, &image.is_linked, &elf.is_linked, &place);

        tally.check(what("registers"), true, &image.registers, &elf.largest(name, "REGCOUNT"), &place);
        let raw = elf.smem(name).unwrap_or(0) as u32;
        let capability = if elf.is_linked { self.capability() } else { 0 };
        let smem = image.static_smem.map(|own| with_reserve(own, raw, capability));
        tally.check(what("static smem"), raw > 0, &smem, &Some(raw), &place);
        let stack = elf.largest(name, "MIN_STACK_SIZE").map(|stack| {
            match stack.max(elf.largest(name, "FRAME_SIZE").unwrap_or(0)) {
                u32::MAX => Stack::Unbounded,
                bytes => Stack::Bytes(bytes),
            }
        });
        tally.check(what("stack"), stack != Some(Stack::Bytes(0)), &image.stack, &stack, &place);
        let barriers = match elf.abi {
            7 => elf.code_flags(name).map_or(u32::MAX, |flags| (flags >> 20 & 0x7f) as u32),
            _ => first(elf.numbers(name, "NUM_BARRIERS")).unwrap_or(0),
        };
        tally.check(what("barriers"), barriers > 0, &image.barriers, &Some(barriers), &place);

        let bounds = image.bounds.unwrap_or_default();
        let max_threads = elf.numbers(name, "MAX_THREADS");
        tally.check(what("max threads"), max_threads.is_some(), &numbers(bounds.max_threads), &max_threads, &place);
        let required = elf.numbers(name, "REQNTID");
        tally.check(
            what("required block"),
            required.is_some(),
            &numbers(bounds.launch.required_block),
            &required,
            &place,
        );
        let cap = first(elf.numbers(name, "MAXREG_COUNT")).filter(|&cap| cap != 255);
        tally.check(what("register cap"), cap.is_some(), &bounds.max_registers, &cap, &place);
        let cluster = elf.numbers(name, "CTA_PER_CLUSTER");
        tally.check(what("cluster"), cluster.is_some(), &numbers(bounds.launch.required_cluster), &cluster, &place);
        let rank = first(elf.numbers(name, "MAX_CLUSTER_RANK"));
        tally.check(what("cluster rank"), rank.is_some(), &bounds.launch.max_cluster_blocks, &rank, &place);
        let LaunchBounds { needs_cluster, grid_counts_clusters, .. } = bounds.launch;
        for (quantity, ours, attribute) in [
            ("explicit cluster", needs_cluster, "EXPLICIT_CLUSTER"),
            ("blocks=clusters", grid_counts_clusters, "BLOCKS_ARE_CLUSTERS"),
            ("setmaxnreg", image.setmaxnreg == Some(true), "REG_RECONFIG"),
            ("tensor memory 1", image.tensor_memory == Some(TensorMemory::OneBlock), "TCGEN05_1CTA_USED"),
            ("tensor memory 2", image.tensor_memory == Some(TensorMemory::TwoBlocks), "TCGEN05_2CTA_USED"),
        ] {
            let theirs = elf.attribute(name, attribute).is_some();
            tally.check(what(quantity), theirs, &ours, &theirs, &place);
        }
        // Before 12.5 `setmaxnreg` had no record, and only sm_90a had the instruction.
        let has_record = elf.toolkit >= 125 || elf.arch != "90a";
        let known = [image.bounds.is_some(), image.setmaxnreg.is_some(), image.tensor_memory.is_some()];
        tally.check(what("has bounds"), true, &known, &[true, has_record, true], &place);
    }

    /// Compares PTX with the cubin compiled from it.
    pub(crate) fn ptx(&self, ptx: &KernelImage, cubin: &KernelImage, tally: &mut Tally) {
        let place = self.place_of(&ptx.name);
        let what = |quantity| (Reader::Ptx, quantity, Reference::CuobjdumpElf);
        let (of_ptx, of_cubin) = (ptx.bounds.unwrap_or_default(), cubin.bounds.unwrap_or_default());
        let threads = of_cubin.max_threads;
        tally.check(what("max threads"), threads.is_some(), &of_ptx.max_threads, &threads, &place);
        let block = of_cubin.launch.required_block;
        tally.check(what("required block"), block.is_some(), &of_ptx.launch.required_block, &block, &place);
        // The required block was compared above.
        let cluster = |mut launch: LaunchBounds| {
            launch.required_block = None;
            launch
        };
        let (ours, theirs) = (cluster(of_ptx.launch), cluster(of_cubin.launch));
        tally.check(what("cluster"), theirs != LaunchBounds::new(), &ours, &theirs, &place);
        // Values that are unknown until PTX is compiled.
        let decided = (ptx.registers, ptx.static_smem, ptx.barriers, ptx.stack);
        tally.check(what("no numbers"), true, &decided, &(None, None, None, None), &place);
        let min_blocks = MIN_BLOCKS.iter().find(|(name, _)| *name == &*ptx.name).map(|&(_, blocks)| blocks);
        let what = (Reader::Ptx, "min blocks", Reference::Source);
        tally.check(what, min_blocks.is_some(), &ptx.min_blocks_per_sm, &min_blocks, &place);
    }

    /// Compares the target. `has_family` says whether the source stores suffix f.
    pub(crate) fn target(&self, reader: Reader, image: &KernelImage, has_family: bool, tally: &mut Tally) {
        let ours = image.target.map(|target| target.to_string().replace("compute_", "sm_"));
        let theirs = if has_family { self.target } else { self.target.trim_end_matches('f') };
        let what = (reader, "target", Reference::Request);
        tally.check(what, true, &ours, &Some(theirs.to_owned()), &self.place_of(&image.name));
    }

    fn is_texture_107(&self, name: &str) -> bool {
        self.target.starts_with("sm_107") && matches!(name, "textures" | "surfaces")
    }

    fn capability(&self) -> u32 {
        capability(self.target).map_or(0, |(number, _)| number)
    }
}

/// Returns the size of the section for static shared memory: from 9.0 on with 1024 bytes more, if there is a section.
fn with_reserve(own: u32, raw: u32, capability: u32) -> u32 {
    if capability >= 90 && raw > 0 { own + 1024 } else { own }
}

/// Returns whether a kernel calls functions that use the stack, according to its name.
fn calls(name: &str) -> bool {
    name.contains("calls") || name.contains("recurses")
}

fn numbers(dimensions: Option<[u32; 3]>) -> Option<Vec<u32>> {
    dimensions.map(Vec::from)
}

fn first(numbers: Option<Vec<u32>>) -> Option<u32> {
    numbers?.first().copied()
}

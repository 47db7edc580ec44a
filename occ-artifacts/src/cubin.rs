//! Reads cubins: ELF files with machine code for one target and the resources of each kernel.

mod elf;
mod info;

use crate::budget::{Budget, Reservation};
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::image::{Bounds, KernelImage, Stack, TensorMemory};
use crate::images::Images;
use crate::origin::{Origin, Toolkit};
use crate::target::CodeTarget;
use elf::{Elf, Section, Symbol, Symbols};
use info::{Record, code, records};
use occ_core::{Code, Portability};

/// The `e_machine` of cubins.
pub(crate) const EM_CUDA: u16 = 190;

const SHT_SYMTAB: u32 = 2;
const SHT_SYMTAB_SHNDX: u32 = 18;
const SHT_CUDA_INFO: u32 = 0x7000_0000;
const SHT_CUDA_COMPAT: u32 = 0x7000_0086;

/// Shared memory per block that the driver reserves from 9.0 on, in bytes. Linked cubins include it in the size of each
/// kernel's section.
const RESERVED_SMEM: u64 = 1024;

/// Adds the kernels of a cubin. `entry` is the target that the enclosing fatbin declares for it.
pub(crate) fn read(
    bytes: Bytes<'_>,
    entry: Option<CodeTarget>,
    origin: &Origin,
    images: &mut Images<'_>,
) -> Result<(), Error> {
    let budget = images.budget();
    let mut cubin = Cubin::new(bytes, entry, budget)?;
    let Some(symbols) = cubin.symbols()? else {
        return Ok(());
    };
    let what = "the functions of a cubin";
    let _memory = budget.reserve((symbols.count() * size_of::<Function>()) as u64, bytes.start, what)?;
    let functions = cubin.functions(symbols.count())?;
    for symbol in symbols.iter() {
        let symbol = symbol?;
        if let Some(function) = functions.get(symbol.index).filter(|_| symbol.is_kernel()) {
            images.push(cubin.kernel(&symbol, symbols.name(&symbol)?, *function, origin)?)?;
        }
    }
    Ok(())
}

struct Cubin<'a, 'b> {
    _memory: Reservation<'b>,
    elf: Elf<'a>,
    abi: Abi,
    target: CodeTarget,
    is_linked: bool,
    sections: Sections,
    /// Bytes of `.nv.info` sections that may still be read. In a valid file they do not overlap, so their sum is at most the
    /// file size; the limit keeps a malicious file from being read over and over.
    unread: u64,
}

/// The ABI version, which determines where some values are stored.
#[derive(Clone, Copy, PartialEq)]
enum Abi {
    V7,
    V8,
}

/// The sections that are read.
#[derive(Default)]
struct Sections {
    symbols: Option<Section>,
    /// The section indices of symbols (`SHT_SYMTAB_SHNDX`), if there are too many sections for 16 bits.
    symbol_shndx: Option<Section>,
    /// The indices of the `.nv.info` sections that describe all functions.
    info: Vec<u32>,
    compat: Option<Section>,
    /// The sections of each kernel, by the index of its code section.
    by_code: Vec<KernelSections>,
}

/// The indices of a kernel's sections, 0 for a section that it lacks.
#[derive(Clone, Copy, Default)]
struct KernelSections {
    info: u32,
    shared: u32,
}

/// The resources of a function in `.nv.info`.
#[derive(Clone, Copy, Default)]
struct Function {
    registers: Option<u32>,
    /// The largest `MIN_STACK_SIZE`: toolkits 12.4 and 12.5 write a second record of 0.
    stack: Option<u32>,
    frame: u32,
}

impl<'a, 'b> Cubin<'a, 'b> {
    fn new(bytes: Bytes<'a>, entry: Option<CodeTarget>, budget: &'b Budget) -> Result<Self, Error> {
        let elf = Elf::new(bytes)?;
        let unexpected = |offset, what, expected, found| {
            Err(Error::new(bytes.start + offset, Problem::Unexpected { what, expected, found }))
        };
        let machine = bytes.u16(0x12, "an ELF header")?;
        if machine != EM_CUDA {
            return unexpected(0x12, "the machine of a cubin", "190 (CUDA)", machine.into());
        }
        let (abi, number) = match elf.abi {
            7 => (Abi::V7, elf.e_flags & 0xff),
            8 => (Abi::V8, elf.e_flags >> 8 & 0xff),
            abi => return Err(Error::new(bytes.start + 8, Problem::UnknownAbi { abi })),
        };
        let is_linked = match elf.e_type {
            1 => false,
            2 => true,
            kind => return unexpected(0x10, "the type of a cubin", "1 or 2", kind.into()),
        };
        if entry.is_some_and(|entry| entry.number != number) {
            let what = "the capability of a cubin";
            return unexpected(0x30, what, "the capability of its fatbin entry", number.into());
        }
        let each = (size_of::<KernelSections>() + 3 * size_of::<u32>()) as u64;
        let memory = budget.reserve(elf.section_count() as u64 * each, bytes.start, "the sections of a cubin")?;
        let sections = Sections::new(&elf)?;
        let target = CodeTarget { number, code: Code::Binary, portability: Portability::Base };
        let mut cubin =
            Cubin { _memory: memory, elf, abi, target, is_linked, sections, unread: bytes.data.len() as u64 };
        cubin.target.portability = match entry.map(|entry| entry.portability) {
            // Only the fatbin stores suffix f.
            Some(suffix @ (Portability::Family | Portability::Specific)) => suffix,
            _ if cubin.is_specific()? => Portability::Specific,
            _ => Portability::Base,
        };
        Ok(cubin)
    }

    /// Returns whether the target has suffix a.
    fn is_specific(&mut self) -> Result<bool, Error> {
        match self.abi {
            // CUDA 8 sets the bit for 6.0 and 6.1 too, long before suffixes existed.
            Abi::V7 => return Ok(self.target.number >= 90 && self.elf.e_flags & 0x800 != 0),
            Abi::V8 if self.elf.e_flags & 0x8 != 0 => return Ok(true),
            Abi::V8 => {}
        }
        let Some(compat) = self.sections.compat else {
            return Ok(false);
        };
        let mut is_specific = false;
        for record in records(self.info(compat)?) {
            let record = record?;
            is_specific |= record.code == 9 && record.value == 1;
        }
        Ok(is_specific)
    }

    fn symbols(&self) -> Result<Option<Symbols<'a>>, Error> {
        let Sections { symbols, symbol_shndx, .. } = self.sections;
        symbols.map(|symbols| Symbols::new(&self.elf, symbols, symbol_shndx)).transpose()
    }

    /// Returns the resources of each function, by the index of its symbol.
    fn functions(&mut self, symbols: usize) -> Result<Vec<Function>, Error> {
        let mut functions = vec![Function::default(); symbols];
        for index in std::mem::take(&mut self.sections.info) {
            let section = self.elf.section(index)?;
            for record in records(self.info(section)?) {
                let record = record?;
                if matches!(record.code, code::REGCOUNT | code::MIN_STACK_SIZE | code::FRAME_SIZE) {
                    let symbol = record.number(0)?;
                    let Some(function) = functions.get_mut(symbol as usize) else {
                        let (what, expected) = ("the symbol of a `.nv.info` record", "an index of the symbol table");
                        let problem = Problem::Unexpected { what, expected, found: symbol.into() };
                        return Err(Error::new(record.offset(), problem));
                    };
                    function.apply(&record)?;
                }
            }
        }
        Ok(functions)
    }

    /// Returns the kernel of an entry symbol.
    fn kernel(
        &mut self,
        symbol: &Symbol,
        name: &str,
        function: Function,
        origin: &Origin,
    ) -> Result<KernelImage, Error> {
        let Some(&KernelSections { info, shared }) = self.sections.by_code.get(symbol.section as usize) else {
            let (what, expected) = ("the section of a kernel", "an index of the section table");
            return Err(Error::new(
                symbol.offset,
                Problem::Unexpected { what, expected, found: symbol.section.into() },
            ));
        };
        let code = self.elf.section(symbol.section)?;
        let mut image = KernelImage::new(name, origin.clone());
        image.target = Some(self.target);
        image.is_linked = self.is_linked;
        image.registers = function.registers.or_else(|| self.registers_of_code(code));
        image.stack = function.stack();
        image.static_smem = Some(self.static_smem(shared)?);
        if self.abi == Abi::V7 {
            image.barriers = Some((code.flags >> 20 & 0x7f) as u32);
            image.toolkit = Toolkit::from_cubin(self.elf.e_version);
        }
        if info != 0 {
            self.apply_info(self.elf.section(info)?, &mut image)?;
        }
        Ok(image)
    }

    /// Returns the register count in the header of the code section.
    ///
    /// Cubins of CUDA 8 and some ABI 8 objects in NVIDIA's libraries have no `REGCOUNT` record. From 9.0 on the field has
    /// another meaning.
    fn registers_of_code(&self, code: Section) -> Option<u32> {
        (self.target.number < 90).then_some(code.info >> 24).filter(|&registers| registers != 0)
    }

    /// Returns the static shared memory of a kernel from the size of section `section`; 0 means no section.
    fn static_smem(&self, section: u32) -> Result<u32, Error> {
        if section == 0 {
            return Ok(0);
        }
        let size = self.elf.section(section)?.size;
        let reserved = if self.is_linked && self.target.number >= 90 { RESERVED_SMEM } else { 0 };
        size.checked_sub(reserved).and_then(|own| u32::try_from(own).ok()).ok_or_else(|| {
            let what = "the size of a `.nv.shared` section";
            let expected = "less than 4 GiB, and at least 1024 in linked code for 9.0 and later";
            Error::new(self.elf.section_offset(section), Problem::Unexpected { what, expected, found: size })
        })
    }

    /// Applies the records of a kernel's own `.nv.info`.
    fn apply_info(&mut self, section: Section, image: &mut KernelImage) -> Result<(), Error> {
        let mut bounds = Bounds::default();
        let mut tensor_memory = TensorMemory::Unused;
        let mut setmaxnreg = false;
        let mut barriers = 0;
        for record in records(self.info(section)?) {
            let record = record?;
            match record.code {
                code::MAX_THREADS => bounds.max_threads = Some(record.dimensions()?),
                code::REQNTID => bounds.launch.required_block = Some(record.dimensions()?),
                // 255 is the hardware limit: no cap.
                code::MAXREG_COUNT => bounds.max_registers = Some(record.value.into()).filter(|&cap| cap < 255),
                code::CTA_PER_CLUSTER => bounds.launch.required_cluster = Some(record.dimensions()?),
                code::MAX_CLUSTER_RANK => bounds.launch.max_cluster_blocks = Some(record.number(0)?),
                code::EXPLICIT_CLUSTER => bounds.launch.needs_cluster = true,
                code::BLOCKS_ARE_CLUSTERS => bounds.launch.grid_counts_clusters = true,
                code::NUM_BARRIERS => barriers = record.value.into(),
                code::TCGEN05_1CTA_USED if tensor_memory == TensorMemory::Unused => {
                    tensor_memory = TensorMemory::OneBlock;
                }
                code::TCGEN05_2CTA_USED => tensor_memory = TensorMemory::TwoBlocks,
                code::REG_RECONFIG => setmaxnreg = true,
                code::CUDA_API_VERSION => image.toolkit = Toolkit::from_cubin(record.number(0)?),
                _ => {}
            }
        }
        image.bounds = Some(bounds);
        image.tensor_memory = Some(tensor_memory);
        image.setmaxnreg = Some(setmaxnreg).filter(|&used| used || self.records_setmaxnreg(image.toolkit));
        if self.abi == Abi::V8 {
            image.barriers = Some(barriers);
        }
        Ok(())
    }

    /// Returns whether the toolkit writes a record for `setmaxnreg`. Before 12.5 none did, and only `sm_90a` had the
    /// instruction.
    fn records_setmaxnreg(&self, toolkit: Option<Toolkit>) -> bool {
        let CodeTarget { number, portability, .. } = self.target;
        number != 90
            || portability != Portability::Specific
            || toolkit.is_some_and(|toolkit| toolkit >= Toolkit { major: 12, minor: 5 })
    }

    /// Returns the bytes of a section of records, and counts them against `unread`.
    fn info(&mut self, section: Section) -> Result<Bytes<'a>, Error> {
        let bytes = self.elf.data(section, "a `.nv.info` section")?;
        let Some(unread) = self.unread.checked_sub(section.size) else {
            let (what, needed) = ("the `.nv.info` sections together", section.size);
            return Err(Error::new(bytes.start, Problem::Truncated { what, needed, available: self.unread }));
        };
        self.unread = unread;
        Ok(bytes)
    }
}

impl Sections {
    fn new(elf: &Elf<'_>) -> Result<Self, Error> {
        let mut sections =
            Sections { by_code: vec![KernelSections::default(); elf.section_count()], ..Sections::default() };
        for index in 1..elf.section_count() as u32 {
            let section = elf.section(index)?;
            match section.kind {
                SHT_SYMTAB => sections.symbols = Some(section),
                SHT_SYMTAB_SHNDX => sections.symbol_shndx = Some(section),
                SHT_CUDA_COMPAT => sections.compat = Some(section),
                SHT_CUDA_INFO if section.info == 0 => sections.info.push(index),
                SHT_CUDA_INFO => sections.assign(elf, index, section.info, |kernel| &mut kernel.info)?,
                // Identified by name: its type differs between linked code and objects for device linking.
                _ if section.info != 0 && elf.name_starts_with(section, ".nv.shared.")? => {
                    sections.assign(elf, index, section.info, |kernel| &mut kernel.shared)?;
                }
                _ => {}
            }
        }
        Ok(sections)
    }

    /// Records that section `index` belongs to the code in section `code`, which can have one of each kind.
    fn assign(
        &mut self,
        elf: &Elf<'_>,
        index: u32,
        code: u32,
        field: impl Fn(&mut KernelSections) -> &mut u32,
    ) -> Result<(), Error> {
        let unexpected = |expected| {
            let what = "`sh_info` of a kernel's section";
            Error::new(elf.section_offset(index), Problem::Unexpected { what, expected, found: code.into() })
        };
        let kernel = self.by_code.get_mut(code as usize).ok_or_else(|| unexpected("an index of the section table"))?;
        match std::mem::replace(field(kernel), index) {
            0 => Ok(()),
            _ => Err(unexpected("a kernel without another section of this kind")),
        }
    }
}

impl Function {
    fn apply(&mut self, record: &Record<'_>) -> Result<(), Error> {
        let number = record.number(1)?;
        match record.code {
            code::REGCOUNT => self.registers = self.registers.max(Some(number)),
            code::MIN_STACK_SIZE => self.stack = self.stack.max(Some(number)),
            _ => self.frame = self.frame.max(number),
        }
        Ok(())
    }

    /// Returns the stack of a kernel with all functions it calls; `None` for objects for device linking, which do not store it.
    fn stack(self) -> Option<Stack> {
        const UNBOUNDED: u32 = u32::MAX;
        self.stack.map(|stack| match stack.max(self.frame) {
            UNBOUNDED => Stack::Unbounded,
            bytes => Stack::Bytes(bytes),
        })
    }
}

impl Toolkit {
    /// Decodes a version as cubins store it: 135 for 13.5.
    fn from_cubin(version: u32) -> Option<Toolkit> {
        (version >= 10).then_some(Toolkit { major: version / 10, minor: version % 10 })
    }
}

//! Cubins: machine code for one target, with what the compiler decided for each kernel.

mod elf;
mod info;

use crate::budget::{Budget, Held};
use crate::bytes::Bytes;
use crate::error::{Error, Problem};
use crate::image::{Bounds, KernelImage, Stack, TensorMemory};
use crate::images::Images;
use crate::origin::{Origin, Toolkit};
use crate::target::CodeTarget;
use elf::{Elf, Section, Symbol, Symbols};
use info::{Record, code, records};
use occ_core::{Code, Portability};

/// `e_machine` of cubins.
pub(crate) const EM_CUDA: u16 = 190;

const SHT_SYMTAB: u32 = 2;
const SHT_SYMTAB_SHNDX: u32 = 18;
const SHT_CUDA_INFO: u32 = 0x7000_0000;
const SHT_CUDA_COMPAT: u32 = 0x7000_0086;

/// What the driver reserves in each block from 9.0 on, which linked kernels are given along with their own.
const RESERVED_SMEM: u64 = 1024;

/// Adds the kernels of a cubin. `entry` is what the fatbin around it says it was built for.
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
    let _held = budget.hold((symbols.count() * size_of::<Function>()) as u64, bytes.start, what)?;
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
    _held: Held<'b>,
    elf: Elf<'a>,
    abi: Abi,
    target: CodeTarget,
    is_linked: bool,
    sections: Sections,
    /// Bytes of `.nv.info` sections that may still be read. Sections do not overlap and each is read once, so that all
    /// together cannot exceed the file, unless it was made to be read for ever.
    unread: u64,
}

/// Where things stand depends on the ABI version.
#[derive(Clone, Copy, PartialEq)]
enum Abi {
    V7,
    V8,
}

/// The sections that matter.
#[derive(Default)]
struct Sections {
    symbols: Option<Section>,
    /// The section numbers of symbols, where 16 bits are too few for them.
    wide_numbers: Option<Section>,
    /// The numbers of `.nv.info` sections, of all functions.
    info: Vec<u32>,
    compat: Option<Section>,
    /// By the number of the section with a kernel's code: what belongs to the kernel.
    of_code: Vec<OfCode>,
}

/// Numbers of sections that belong to a kernel's code, 0 where it has none.
#[derive(Clone, Copy, Default)]
struct OfCode {
    info: u32,
    shared: u32,
}

/// What `.nv.info` says of a function.
#[derive(Clone, Copy, Default)]
struct Function {
    registers: Option<u32>,
    /// The largest `MIN_STACK_SIZE`. Toolkits 12.4 and 12.5 write a second one of 0.
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
        let each = (size_of::<OfCode>() + 3 * size_of::<u32>()) as u64;
        let held = budget.hold(elf.section_count() as u64 * each, bytes.start, "the sections of a cubin")?;
        let sections = Sections::new(&elf)?;
        let target = CodeTarget { number, code: Code::Binary, portability: Portability::Base };
        let mut cubin = Cubin { _held: held, elf, abi, target, is_linked, sections, unread: bytes.data.len() as u64 };
        cubin.target.portability = match entry.map(|entry| entry.portability) {
            // Only the fatbin has suffix f.
            Some(suffix @ (Portability::Family | Portability::Specific)) => suffix,
            _ if cubin.is_specific()? => Portability::Specific,
            _ => Portability::Base,
        };
        Ok(cubin)
    }

    /// Whether the target has suffix a.
    fn is_specific(&mut self) -> Result<bool, Error> {
        match self.abi {
            // CUDA 8 sets the bit for 6.0 and 6.1 as well, long before there was a suffix.
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
        let Sections { symbols, wide_numbers, .. } = self.sections;
        symbols.map(|symbols| Symbols::new(&self.elf, symbols, wide_numbers)).transpose()
    }

    /// What `.nv.info` says of each function, by the number of its symbol.
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
                        return Err(Error::new(record.at(), problem));
                    };
                    function.apply(&record)?;
                }
            }
        }
        Ok(functions)
    }

    /// The kernel of an entry symbol.
    fn kernel(
        &mut self,
        symbol: &Symbol,
        name: &str,
        function: Function,
        origin: &Origin,
    ) -> Result<KernelImage, Error> {
        let Some(&OfCode { info, shared }) = self.sections.of_code.get(symbol.section as usize) else {
            let (what, expected) = ("the section of a kernel", "an index of the section table");
            return Err(Error::new(symbol.at, Problem::Unexpected { what, expected, found: symbol.section.into() }));
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
            image.toolkit = Toolkit::of_version(self.elf.e_version);
        }
        if info != 0 {
            self.apply_info(self.elf.section(info)?, &mut image)?;
        }
        Ok(image)
    }

    /// Registers where there is no record of them: in cubins of CUDA 8, and in some ABI 8 objects of shipped libraries.
    /// From 9.0 on that place holds no count.
    fn registers_of_code(&self, code: Section) -> Option<u32> {
        (self.target.number < 90).then_some(code.info >> 24).filter(|&registers| registers != 0)
    }

    /// The static shared memory in the section of this number, 0 for none.
    fn static_smem(&self, section: u32) -> Result<u32, Error> {
        if section == 0 {
            return Ok(0);
        }
        let size = self.elf.section(section)?.size;
        let reserved = if self.is_linked && self.target.number >= 90 { RESERVED_SMEM } else { 0 };
        size.checked_sub(reserved).and_then(|own| u32::try_from(own).ok()).ok_or_else(|| {
            let what = "the size of a `.nv.shared` section";
            let expected = "less than 4 GiB, and at least 1024 in linked code for 9.0 and later";
            Error::new(self.elf.section_at(section), Problem::Unexpected { what, expected, found: size })
        })
    }

    /// What a kernel's own `.nv.info` says.
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
                // 255 is the most there can be: no cap.
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
                code::CUDA_API_VERSION => image.toolkit = Toolkit::of_version(record.number(0)?),
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

    /// Whether `setmaxnreg` leaves a record. Before 12.5 it left none, and 9.0 with suffix a was all that had it.
    fn records_setmaxnreg(&self, toolkit: Option<Toolkit>) -> bool {
        let CodeTarget { number, portability, .. } = self.target;
        number != 90
            || portability != Portability::Specific
            || toolkit.is_some_and(|toolkit| toolkit >= Toolkit { major: 12, minor: 5 })
    }

    /// The bytes of a section of records, which must not have been read too often.
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
        let mut sections = Sections { of_code: vec![OfCode::default(); elf.section_count()], ..Sections::default() };
        for index in 1..elf.section_count() as u32 {
            let section = elf.section(index)?;
            match section.kind {
                SHT_SYMTAB => sections.symbols = Some(section),
                SHT_SYMTAB_SHNDX => sections.wide_numbers = Some(section),
                SHT_CUDA_COMPAT => sections.compat = Some(section),
                SHT_CUDA_INFO if section.info == 0 => sections.info.push(index),
                SHT_CUDA_INFO => sections.assign(elf, index, section.info, |of_code| &mut of_code.info)?,
                // Its type differs between linked code and objects for device linking.
                _ if section.info != 0 && elf.is_named(section, ".nv.shared.")? => {
                    sections.assign(elf, index, section.info, |of_code| &mut of_code.shared)?;
                }
                _ => {}
            }
        }
        Ok(sections)
    }

    /// Notes that section `index` belongs to the code in section `code`, which has at most one of its kind.
    fn assign(
        &mut self,
        elf: &Elf<'_>,
        index: u32,
        code: u32,
        place: impl Fn(&mut OfCode) -> &mut u32,
    ) -> Result<(), Error> {
        let unexpected = |expected| {
            let what = "`sh_info` of a kernel's section";
            Error::new(elf.section_at(index), Problem::Unexpected { what, expected, found: code.into() })
        };
        let of_code = self.of_code.get_mut(code as usize).ok_or_else(|| unexpected("an index of the section table"))?;
        match std::mem::replace(place(of_code), index) {
            0 => Ok(()),
            _ => Err(unexpected("a section that no earlier one belongs to")),
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

    /// What is below a kernel is known only with the size of the whole stack. Objects for device linking lack it.
    fn stack(self) -> Option<Stack> {
        const UNBOUNDED: u32 = u32::MAX;
        self.stack.map(|stack| match stack.max(self.frame) {
            UNBOUNDED => Stack::Unbounded,
            bytes => Stack::Bytes(bytes),
        })
    }
}

impl Toolkit {
    /// A version as cubins have it: 135 for 13.5.
    fn of_version(version: u32) -> Option<Toolkit> {
        (version >= 10).then_some(Toolkit { major: version / 10, minor: version % 10 })
    }
}

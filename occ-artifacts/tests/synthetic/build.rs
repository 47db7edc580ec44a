//! Puts cubins and fatbins together.

pub(crate) const EXEC: u16 = 2;
pub(crate) const REL: u16 = 1;

pub(crate) const PROGBITS: u32 = 1;
pub(crate) const NOBITS: u32 = 8;
pub(crate) const INFO: u32 = 0x7000_0000;
pub(crate) const SHARED: u32 = 0x7000_000a;
pub(crate) const COMPAT: u32 = 0x7000_0086;

/// A cubin in the making. Its sections from number 4 on are the caller's.
#[derive(Clone)]
pub(crate) struct Cubin {
    pub(crate) abi: u8,
    pub(crate) e_type: u16,
    pub(crate) e_version: u32,
    pub(crate) e_flags: u32,
    /// Section headers right after the ELF header, and the symbol table first.
    pub(crate) headers_in_front: bool,
    pub(crate) sections: Vec<Section>,
    pub(crate) symbols: Vec<[u8; 24]>,
    pub(crate) names: Vec<u8>,
}

#[derive(Clone)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) info: u32,
    pub(crate) size: u64,
    pub(crate) data: Vec<u8>,
}

/// What a kernel is made of.
#[derive(Clone, Default)]
pub(crate) struct Kernel {
    /// `sh_flags` of its code.
    pub(crate) code_flags: u64,
    /// The top byte of `sh_info` of its code.
    pub(crate) code_registers: u32,
    /// Its records in `.nv.info`: code and number.
    pub(crate) function: Vec<(u8, u32)>,
    /// Its own `.nv.info`.
    pub(crate) info: Vec<u8>,
    /// The size of its `.nv.shared`, if there is one.
    pub(crate) shared: Option<u64>,
}

impl Cubin {
    pub(crate) fn abi7(e_version: u32, e_flags: u32) -> Self {
        let (sections, symbols, names) = (Vec::new(), vec![[0; 24]], vec![0]);
        Cubin { abi: 7, e_type: EXEC, e_version, e_flags, headers_in_front: false, sections, symbols, names }
    }

    pub(crate) fn abi8(e_flags: u32) -> Self {
        Cubin { abi: 8, ..Cubin::abi7(1, e_flags) }
    }

    /// Adds a section and returns its index.
    pub(crate) fn section(&mut self, name: &str, kind: u32, info: u32, data: &[u8]) -> u32 {
        let (size, data) = (data.len() as u64, data.to_vec());
        self.sections.push(Section { name: name.into(), kind, flags: 0, info, size, data });
        self.sections.len() as u32 + 3
    }

    /// Adds a symbol and returns its index.
    pub(crate) fn symbol(&mut self, name: &[u8], kind: u8, other: u8, section: u16) -> u32 {
        let mut symbol = [0; 24];
        symbol[..4].copy_from_slice(&(self.names.len() as u32).to_le_bytes());
        symbol[4..6].copy_from_slice(&[kind, other]);
        symbol[6..8].copy_from_slice(&section.to_le_bytes());
        self.names.extend_from_slice(name);
        self.names.push(0);
        self.symbols.push(symbol);
        self.symbols.len() as u32 - 1
    }

    /// Adds a kernel.
    pub(crate) fn kernel(mut self, name: &str, kernel: &Kernel) -> Self {
        let code = self.section(&format!(".text.{name}"), PROGBITS, 0, &[0; 16]);
        let symbol = self.symbol(name.as_bytes(), 0x12, 0x10, code as u16);
        let section = self.sections.last_mut().unwrap();
        section.flags = kernel.code_flags;
        section.info = kernel.code_registers << 24 | symbol;
        let records: Vec<_> = kernel.function.iter().map(|&(code, number)| sized(code, &[symbol, number])).collect();
        self.section(".nv.info", INFO, 0, &records.concat());
        self.section(&format!(".nv.info.{name}"), INFO, code, &kernel.info);
        if let Some(size) = kernel.shared {
            self.section(&format!(".nv.shared.{name}"), NOBITS, code, &[]);
            self.sections.last_mut().unwrap().size = size;
        }
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let fixed = |name: &str, kind, data: Vec<u8>| Section {
            name: name.into(),
            kind,
            flags: 0,
            info: 0,
            size: data.len() as u64,
            data,
        };
        let mut sections = vec![
            fixed("", 0, Vec::new()),
            fixed(".shstrtab", 3, Vec::new()),
            fixed(".strtab", 3, self.names.clone()),
            fixed(".symtab", 2, self.symbols.concat()),
        ];
        let (mut shstrndx, mut strndx) = (1, 2);
        if self.headers_in_front {
            sections[1..].rotate_right(1);
            (shstrndx, strndx) = (2, 3);
        }
        sections.extend_from_slice(&self.sections);
        let mut names = Vec::new();
        let mut name_at = Vec::new();
        for section in &sections {
            name_at.push(names.len() as u32);
            names.extend_from_slice(section.name.as_bytes());
            names.push(0);
        }
        sections[shstrndx].size = names.len() as u64;
        sections[shstrndx].data = names;

        let header_size = 64 * sections.len();
        let data_at = if self.headers_in_front { 64 + header_size } else { 64 };
        let mut data = Vec::new();
        let mut headers = Vec::new();
        for (section, name_at) in sections.iter().zip(name_at) {
            let link = if section.kind == 2 { strndx } else { 0 };
            let at = (data_at + data.len()) as u64;
            headers.extend([name_at, section.kind].map(u32::to_le_bytes).concat());
            headers.extend([section.flags, 0, at, section.size].map(u64::to_le_bytes).concat());
            headers.extend([link, section.info].map(u32::to_le_bytes).concat());
            headers.extend([0; 16]);
            data.extend_from_slice(&section.data);
        }
        let (headers_at, parts) =
            if self.headers_in_front { (64, [headers, data]) } else { (64 + data.len() as u64, [data, headers]) };
        let os_abi = if self.abi == 7 { 0x33 } else { 0x41 };
        let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, os_abi, self.abi, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend([self.e_type, 190].map(u16::to_le_bytes).concat());
        bytes.extend(self.e_version.to_le_bytes());
        bytes.extend([0, 0, headers_at].map(u64::to_le_bytes).concat());
        bytes.extend(self.e_flags.to_le_bytes());
        let (count, names) = (sections.len() as u16, shstrndx as u16);
        bytes.extend([64, 0, 0, 64, count, names].map(u16::to_le_bytes).concat());
        bytes.extend(parts.concat());
        bytes
    }
}

/// A record without a value.
pub(crate) fn flag(code: u8) -> Vec<u8> {
    vec![1, code, 0, 0]
}

/// A record with one byte.
pub(crate) fn byte(code: u8, value: u8) -> Vec<u8> {
    vec![2, code, value, 0]
}

/// A record with two bytes.
pub(crate) fn half(code: u8, value: u16) -> Vec<u8> {
    let [low, high] = value.to_le_bytes();
    vec![3, code, low, high]
}

/// A record with a payload.
pub(crate) fn sized(code: u8, numbers: &[u32]) -> Vec<u8> {
    let payload: Vec<_> = numbers.iter().copied().flat_map(u32::to_le_bytes).collect();
    [vec![4, code], (payload.len() as u16).to_le_bytes().to_vec(), payload].concat()
}

/// An entry of a fatbin.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) kind: u16,
    pub(crate) number: u32,
    pub(crate) flags: u64,
    /// The header after its first 64 bytes.
    pub(crate) more_header: Vec<u8>,
    pub(crate) payload: Vec<u8>,
}

impl Entry {
    pub(crate) fn cubin(number: u32, cubin: &Cubin) -> Self {
        Entry { kind: 2, number, flags: 0x11, more_header: Vec::new(), payload: cubin.bytes() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut payload = self.payload.clone();
        payload.resize(payload.len().next_multiple_of(8), 0);
        [header(self, 64 + self.more_header.len() as u32, payload.len() as u64), self.more_header.clone(), payload]
            .concat()
    }
}

/// The 64 bytes every header of an entry has. `second` and `third` are its size and that of the payload, and in the
/// table of a group the offset and the size in the stream.
pub(crate) fn header(entry: &Entry, second: u32, third: u64) -> Vec<u8> {
    let mut bytes = [entry.kind, 0x0101].map(u16::to_le_bytes).concat();
    bytes.extend(second.to_le_bytes());
    bytes.extend(third.to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(entry.number.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(entry.flags.to_le_bytes());
    bytes.extend([0; 16]);
    bytes
}

/// A fatbin of these entries.
pub(crate) fn container(entries: &[Entry]) -> Vec<u8> {
    let entries: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
    let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    bytes
}

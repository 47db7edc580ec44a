//! Parses the output of `cuobjdump`, independently of the code under test.

use std::collections::BTreeMap;
use std::io::BufRead;

/// The output of `cuobjdump -res-usage` for a cubin.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// The architecture, `sm_90a`; printed only for cubins in a fatbin.
    pub(crate) arch: Option<String>,
    pub(crate) functions: Vec<FunctionUsage>,
}

#[derive(Debug)]
pub(crate) struct FunctionUsage {
    pub(crate) name: String,
    pub(crate) registers: u32,
    /// The stack in bytes; `None` if it is unknown.
    pub(crate) stack: Option<u32>,
    /// Shared memory with the driver's reserve, in bytes.
    pub(crate) smem: u32,
}

/// Parses the cubins of a text, including those without functions.
pub(crate) fn usage(text: &str) -> Vec<Usage> {
    let mut cubins = Vec::new();
    let mut arch = None;
    let mut name = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with("Fatbin ") {
            arch = None;
        } else if let Some(printed) = line.strip_prefix("arch = ") {
            arch = Some(printed.to_owned());
        } else if line == "Resource usage:" {
            cubins.push(Usage { arch: arch.clone(), functions: Vec::new() });
        } else if let Some(function) = line.strip_prefix("Function ") {
            name = function.trim_end_matches(':');
        } else if line.starts_with("REG:") {
            let value = |key: &str| {
                let word = line.split(' ').find_map(|word| word.strip_prefix(key));
                word.and_then(|value| value.parse().ok())
            };
            let function = FunctionUsage {
                name: name.to_owned(),
                registers: value("REG:").unwrap_or(u32::MAX),
                stack: value("STACK:"),
                smem: value("SHARED:").unwrap_or(u32::MAX),
            };
            if let Some(cubin) = cubins.last_mut() {
                cubin.functions.push(function);
            }
        }
    }
    cubins
}

/// The output of `cuobjdump -elf` for a cubin.
#[derive(Debug, Default)]
pub(crate) struct Elf {
    pub(crate) abi: u32,
    /// The architecture: `90a` for `sm_90a`.
    pub(crate) arch: String,
    /// The toolkit's version: 135 for 13.5.
    pub(crate) toolkit: u32,
    pub(crate) is_linked: bool,
    sections: BTreeMap<String, Section>,
    /// The kernels, in the order of the symbol table.
    pub(crate) entries: Vec<String>,
    /// Values of attributes by section, attribute and, in `.nv.info`, function.
    attributes: BTreeMap<(String, String, String), Vec<String>>,
}

#[derive(Debug, Clone, Copy)]
struct Section {
    size: u64,
    flags: u64,
}

impl Elf {
    /// Returns the value of attribute `EIATTR_name` of a kernel.
    pub(crate) fn attribute(&self, kernel: &str, name: &str) -> Option<&str> {
        let values = self.attributes.get(&(format!(".nv.info.{kernel}"), name.to_owned(), String::new()))?;
        values.first().map(String::as_str)
    }

    /// Returns the numbers of an attribute.
    pub(crate) fn numbers(&self, kernel: &str, name: &str) -> Option<Vec<u32>> {
        self.attribute(kernel, name).map(|value| value.split_whitespace().filter_map(number).collect())
    }

    /// Returns the largest value of an attribute in the section of all functions.
    pub(crate) fn largest(&self, kernel: &str, name: &str) -> Option<u32> {
        let values = self.attributes.get(&(".nv.info".to_owned(), name.to_owned(), kernel.to_owned()))?;
        values.iter().map(|value| number(value).unwrap_or(u32::MAX)).max()
    }

    /// Returns the size of a kernel's shared memory section.
    pub(crate) fn smem(&self, kernel: &str) -> Option<u64> {
        self.sections.get(&format!(".nv.shared.{kernel}")).map(|section| section.size)
    }

    /// Returns the flags of a kernel's code section.
    pub(crate) fn code_flags(&self, kernel: &str) -> Option<u64> {
        self.sections.get(&format!(".text.{kernel}")).map(|section| section.flags)
    }
}

/// Parses the cubins of a text, line by line because it is long.
pub(crate) fn elf(mut text: impl BufRead) -> std::io::Result<Vec<Elf>> {
    let mut reader = ElfReader::default();
    let mut line = String::new();
    while text.read_line(&mut line)? > 0 {
        // Most lines are data in hexadecimal.
        if !line.starts_with("0x") {
            reader.line(&line);
        }
        line.clear();
    }
    Ok(reader.cubins)
}

#[derive(Default)]
struct ElfReader {
    cubins: Vec<Elf>,
    /// The section of the next attributes.
    section: String,
    attribute: String,
}

impl ElfReader {
    fn line(&mut self, line: &str) {
        if line.trim_start().starts_with("64bit elf: ") || line.trim_start().starts_with("64-bit ELF: ") {
            self.cubins.push(header(line));
            self.section.clear();
            return;
        }
        let Some(cubin) = self.cubins.last_mut() else {
            return;
        };
        let line = line.trim();
        if line.starts_with(".nv.info") || line.starts_with(".section ") || line.starts_with(".nv.") {
            line.strip_prefix(".section ")
                .unwrap_or(line)
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .clone_into(&mut self.section);
        } else if let Some(attribute) = line.strip_prefix("Attribute:") {
            attribute.trim().trim_start_matches("EIATTR_").clone_into(&mut self.attribute);
            if self.section.starts_with(".nv.info.") {
                let key = (self.section.clone(), self.attribute.clone(), String::new());
                cubin.attributes.entry(key).or_default();
            }
        } else if let Some(value) = line.strip_prefix("Value:") {
            self.value(value.trim());
        } else if line.starts_with("Format:") && line.ends_with("NVAL") {
            self.value("");
        } else if !line.starts_with("0x") || line.contains("FUNC") {
            row(cubin, line);
        }
    }

    fn value(&mut self, value: &str) {
        let Some(cubin) = self.cubins.last_mut() else {
            return;
        };
        let (function, value) = match value.strip_prefix("function: ").and_then(|rest| rest.split_once("(0x")) {
            Some((function, rest)) => (function, rest.rsplit(": ").next().unwrap_or_default()),
            None => ("", value),
        };
        let key = (self.section.clone(), self.attribute.clone(), function.to_owned());
        if self.section.starts_with(".nv.info") {
            cubin.attributes.entry(key).or_default().push(value.to_owned());
        }
    }
}

/// Parses `64bit elf: type=2, abi=7, sm=90a, toolkit=124, flags = ...`, or
/// `64-bit ELF: type=ET_EXEC, ABI=8, sm=90a, toolkit=13.5, flags=...`.
fn header(line: &str) -> Elf {
    let value = |key: &str| {
        let from = line.find(key).map_or(line.len(), |at| at + key.len());
        line[from..].split(',').next().unwrap_or_default()
    };
    Elf {
        abi: value("abi=").parse().or_else(|_| value("ABI=").parse()).unwrap_or_default(),
        arch: value("sm=").to_owned(),
        toolkit: value("toolkit=").replace('.', "").parse().unwrap_or_default(),
        is_linked: matches!(value("type="), "2" | "ET_EXEC"),
        ..Elf::default()
    }
}

/// Adds a row of the section table or of the symbol table.
fn row(cubin: &mut Elf, line: &str) {
    let words: Vec<_> = line.split_whitespace().collect();
    match words[..] {
        [_, _, size, _, _, _, flags, _, _, name] if name.starts_with('.') => {
            let hex = |word| u64::from_str_radix(word, 16).unwrap_or(u64::MAX);
            cubin.sections.insert(name.to_owned(), Section { size: hex(size), flags: hex(flags) });
        }
        [_, _, _, "FUNC", _, _, other, section, name] if other.contains("ENTRY") && section != "0" => {
            cubin.entries.push(name.to_owned());
        }
        _ => {}
    }
}

/// Parses `0x1f` or `31`.
fn number(word: &str) -> Option<u32> {
    match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

//! Assigns the lines of a compiler log to kernels.

use crate::error::{Error, Problem};
use crate::image::Spills;
use crate::target::CodeTarget;
use crate::text::input::Text;
use crate::text::words::{after, leading_digits, name, number, split, target};
use occ_core::Code;

/// The information in a line, or in the lines of one kernel.
pub(super) enum Event<'a> {
    Kernel(Kernel<'a>),
    /// A kernel whose stack is unbounded.
    Unbounded {
        name: &'a str,
        offset: u64,
    },
    /// The start of a module.
    Module {
        offset: u64,
    },
    /// The statement of `nvcc` that it prints no resources before device linking.
    BeforeLinking,
}

/// The lines about one kernel.
pub(super) struct Kernel<'a> {
    pub(super) name: &'a str,
    pub(super) offset: u64,
    /// The index of its module, from 0.
    pub(super) module: usize,
    /// Whether the lines are the linker's.
    pub(super) is_linker: bool,
    pub(super) target: Option<CodeTarget>,
    pub(super) usage: Option<Usage>,
    pub(super) properties: Option<Properties>,
    /// Whether properties of functions that were not inlined follow.
    pub(super) has_calls: bool,
}

/// The line `Used 28 registers, used 1 barriers, ..`.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) registers: u32,
    pub(super) barriers: Option<u32>,
    /// The stack including called functions, in bytes. Printed from 12.4 on, only if it is not 0.
    pub(super) stack: Option<u32>,
    pub(super) smem: u32,
    pub(super) constant_bank_0: Option<u32>,
}

/// The line `40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`.
#[derive(Clone, Copy)]
pub(super) struct Properties {
    pub(super) frame: u32,
    pub(super) spills: Option<Spills>,
}

/// Calls `visit` for each event; for a kernel once all its lines have been read.
pub(super) fn walk<'a>(text: Text<'a>, mut visit: impl FnMut(Event<'a>) -> Result<(), Error>) -> Result<(), Error> {
    let mut state = State::default();
    for (offset, line) in text.lines() {
        if let Some(rest) = after(line, "Compiling entry function") {
            if let Some(kernel) = state.open(rest, offset) {
                visit(Event::Kernel(kernel))?;
            }
            if let Some(kernel) = state.overlapping() {
                visit(Event::Kernel(kernel))?;
            }
        } else if let Some(rest) = after(line, "Function properties for") {
            state.begin_properties(rest, offset);
        } else if let Some((before, rest)) = split(line, " bytes stack frame") {
            state.add_properties(before, rest, offset)?;
        } else if let Some(rest) = after(line, "Used ").filter(|rest| is_usage(rest)) {
            state.add_usage(usage(rest, offset)?);
        } else if let Some(rest) = after(line, "used ").filter(|rest| is_usage(rest)) {
            if let Some(kernel) = state.linked(usage(rest, offset)?) {
                visit(Event::Kernel(kernel))?;
            }
        } else if let Some(rest) = after(line, "Stack size for entry function") {
            if let Some((before, _)) = split(rest, " cannot be statically determined") {
                visit(Event::Unbounded { name: name(before), offset })?;
            }
        } else if split(line, " bytes gmem")
            .is_some_and(|(before, _)| before.ends_with(|last: char| last.is_ascii_digit()))
        {
            if let Some(kernel) = state.begin_module() {
                visit(Event::Kernel(kernel))?;
            }
            visit(Event::Module { offset })?;
        } else if after(line, "Resource usage is not shown").is_some() {
            visit(Event::BeforeLinking)?;
        } else if is_failure(line)
            && let Some(kernel) = state.give_up()
        {
            visit(Event::Kernel(kernel))?;
        }
    }
    match state.kernel {
        Some(kernel) => visit(Event::Kernel(kernel)),
        None => Ok(()),
    }
}

#[derive(Default)]
struct State<'a> {
    /// The number of modules that have started.
    modules: usize,
    /// The last kernel that was opened, until no more lines can follow.
    kernel: Option<Kernel<'a>>,
    /// The number of kernels that lack their `Used` line. With several at once, the output of two compilers is interleaved
    /// and a line cannot be assigned.
    unfinished: usize,
    /// The function whose properties follow, and the offset of that line.
    properties_of: Option<(&'a str, u64)>,
    /// The barriers that the linker printed last.
    linked_barriers: Option<u32>,
}

impl<'a> State<'a> {
    /// Opens a kernel and returns the previous one.
    fn open(&mut self, rest: &'a str, offset: u64) -> Option<Kernel<'a>> {
        let (named, target) = match split(rest, " for ") {
            Some((named, rest)) => (named, target(name(rest), Code::Binary)),
            None => (rest, None),
        };
        let before = self.kernel.take();
        if before.as_ref().is_some_and(|before| before.target != target) {
            self.modules += 1;
        }
        self.unfinished += 1;
        self.properties_of = None;
        self.kernel = Some(Kernel {
            name: name(named),
            offset,
            module: self.modules,
            is_linker: false,
            target,
            usage: None,
            properties: None,
            has_calls: false,
        });
        before.map(|before| Kernel { properties: before.properties.filter(|_| before.usage.is_some()), ..before })
    }

    /// Returns the kernel just opened if lines that follow cannot be assigned to it.
    fn overlapping(&mut self) -> Option<Kernel<'a>> {
        self.kernel.take_if(|_| self.unfinished > 1)
    }

    fn begin_module(&mut self) -> Option<Kernel<'a>> {
        self.modules += 1;
        self.properties_of = None;
        self.linked_barriers = None;
        // Without its `Used` line the kernel is still open: another compiler printed this line.
        self.kernel.take_if(|kernel| kernel.usage.is_some())
    }

    /// Closes the kernel after an error of the compiler: no `Used` line will follow.
    fn give_up(&mut self) -> Option<Kernel<'a>> {
        self.unfinished = 0;
        self.properties_of = None;
        self.kernel.take()
    }

    fn begin_properties(&mut self, rest: &'a str, offset: u64) {
        let rest = rest.trim_ascii_end();
        let function = name(rest.strip_suffix(':').unwrap_or(rest));
        self.properties_of = Some((function, offset));
        if let Some(kernel) = &mut self.kernel {
            kernel.has_calls |= kernel.name != function;
        }
    }

    fn add_properties(&mut self, before: &str, rest: &str, offset: u64) -> Result<(), Error> {
        let Some(kernel) = &mut self.kernel else { return Ok(()) };
        if self.properties_of.take().is_some_and(|(function, _)| function == kernel.name) {
            kernel.properties = Some(properties(before, rest, offset)?);
        }
        Ok(())
    }

    fn add_usage(&mut self, usage: Usage) {
        self.unfinished = self.unfinished.saturating_sub(1);
        if let Some(kernel) = &mut self.kernel {
            kernel.usage = kernel.usage.or(Some(usage));
        }
    }

    /// Returns the kernel that the linker's `used` line is about.
    fn linked(&mut self, mut usage: Usage) -> Option<Kernel<'a>> {
        let (name, offset) = self.properties_of.take()?;
        // For a kernel without barriers, `nvlink` repeats the number of the previous kernel, even one that it does not print.
        let before = std::mem::replace(&mut self.linked_barriers, usage.barriers);
        usage.barriers =
            usage.barriers.filter(|&barriers| barriers == 0 || before.is_some_and(|before| before != barriers));
        Some(Kernel {
            name,
            offset,
            module: self.modules,
            is_linker: true,
            target: None,
            usage: Some(usage),
            properties: None,
            has_calls: false,
        })
    }
}

/// Returns whether the line is an error of `ptxas`: `ptxas fatal   : ..`, `ptxas k.ptx, line 5; error   : ..`.
fn is_failure(line: &str) -> bool {
    let severity =
        after(line, "ptxas").and_then(|rest| split(rest, ":")).map(|(severity, _)| severity.trim_ascii_end());
    severity.is_some_and(|severity| severity.ends_with(" fatal") || severity.ends_with(" error"))
}

fn is_usage(rest: &str) -> bool {
    let (digits, rest) = leading_digits(rest);
    !digits.is_empty() && rest.starts_with(" register")
}

/// Parses a `Used` line: first the registers, then optional parts.
fn usage(rest: &str, offset: u64) -> Result<Usage, Error> {
    let mut usage = Usage::default();
    for part in rest.split(',') {
        let part = part.trim_ascii();
        let part = part.strip_prefix("used ").unwrap_or(part);
        let (count, what) = part.split_once(' ').unwrap_or((part, ""));
        let what = what.strip_prefix("bytes ").unwrap_or(what);
        let read = || {
            let problem =
                Problem::Malformed { what: "a resource in a compiler log", expected: "a number before its name" };
            number(count).ok_or_else(|| Error::new(offset, problem))
        };
        if what.starts_with("register") {
            usage.registers = read()?;
        } else if what.starts_with("barrier") {
            usage.barriers = Some(read()?);
        } else if what.starts_with("cumulative stack") || what.starts_with("stack") {
            usage.stack = Some(read()?);
        } else if what.starts_with("smem") {
            usage.smem = read()?;
        } else if what.starts_with("cmem[0]") {
            usage.constant_bank_0 = Some(read()?);
        }
    }
    Ok(usage)
}

/// Parses the stack line, split at ` bytes stack frame`.
fn properties(before: &str, rest: &str, offset: u64) -> Result<Properties, Error> {
    let spilled = |unit| number(trailing_digits(split(rest, unit)?.0));
    let spills = Option::zip(spilled(" bytes spill stores"), spilled(" bytes spill loads"));
    match number(trailing_digits(before)) {
        Some(frame) => Ok(Properties { frame, spills: spills.map(|(stores, loads)| Spills { stores, loads }) }),
        None => {
            let problem = Problem::Malformed { what: "a stack frame in a compiler log", expected: "its bytes" };
            Err(Error::new(offset, problem))
        }
    }
}

/// Returns the digits at the end of `text`.
fn trailing_digits(text: &str) -> &str {
    &text[text.trim_end_matches(|letter: char| letter.is_ascii_digit()).len()..]
}

//! `kernels.occ.json`: the resources of kernels in a file that is committed, reviewed and compared.

use crate::image::{KernelImage, Spills, Stack};
use crate::target::CodeTarget;
use occ_core::{Code, Launch, Portability, occupancy};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

/// The version of the form that is written and read.
const VERSION: u32 = 1;

/// The resources of kernels as they once were.
///
/// As text it is JSON with one line a kernel and target, sorted, so that a change is a line in a review. What is not
/// known is `null`. Reading and writing changes no byte.
///
/// ```
/// use occ_artifacts::{Baseline, Format, KernelImage, Origin, Tolerance, compare};
///
/// let mut image = KernelImage::new("saxpy", Origin::whole(Format::Cubin));
/// image.registers = Some(32);
/// let mut old = Baseline::new();
/// old.add(&image, None).unwrap();
///
/// image.registers = Some(40);
/// let mut new = Baseline::new();
/// new.add(&image, None).unwrap();
///
/// let differences = compare(&old, &new, &Tolerance::default());
/// assert!(differences[0].is_regression());
/// assert_eq!(differences[0].to_string(), "`saxpy`: registers grew from 32 to 40");
/// assert_eq!(Baseline::parse(&old.to_string()).unwrap(), old);
/// ```
///
/// In a test or a build script of your own, with spills from the compiler's logs and the occupancy of a launch:
///
/// ```no_run
/// use occ_artifacts::{Baseline, Code, Launch, Tolerance, compare, merge, read};
///
/// fn check(update: bool) -> Result<(), Box<dyn std::error::Error>> {
///     let sources = [
///         ("saxpy.sm_80.cubin", read(&std::fs::read("saxpy.sm_80.cubin")?)?),
///         ("saxpy.sm_80.log", read(&std::fs::read("saxpy.sm_80.log")?)?),
///     ];
///     let mut new = Baseline::new();
///     for image in merge(&sources)? {
///         if image.target.is_some_and(|target| target.code == Code::Binary) {
///             new.add(&image, Some(&Launch::new(256)))?;
///         }
///     }
///     if update {
///         return Ok(new.write("kernels.occ.json")?);
///     }
///     let differences = compare(&Baseline::read("kernels.occ.json")?, &new, &Tolerance::default());
///     match differences.iter().find(|difference| difference.is_regression()) {
///         Some(difference) => Err(difference.to_string().into()),
///         None => Ok(()),
///     }
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    lines: BTreeMap<Key, Line>,
}

/// A kernel's mangled name and its target, in the order of the file.
type Key = (String, Option<(bool, u32, Portability)>);

/// One kernel for one target. The order of the fields is that of the keys in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    kernel: String,
    name: String,
    #[serde(with = "target_name")]
    target: Option<CodeTarget>,
    registers: Option<u32>,
    static_smem: Option<u32>,
    barriers: Option<u32>,
    stack: Option<StackBytes>,
    spills: Option<SpilledBytes>,
    block: Option<[u32; 3]>,
    dynamic_smem: Option<u32>,
    occupancy: Option<Reached>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum StackBytes {
    Bytes(u32),
    Unbounded(Unbounded),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Unbounded {
    Unbounded,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpilledBytes {
    stores: u32,
    loads: u32,
}

/// What a launch reaches: occupancy to four decimals, or that it cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Reached {
    Occupancy(f64),
    Refused(Refused),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Refused {
    Refused,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    kernels: Vec<Line>,
}

/// What is read first: files of later versions may have other keys.
#[derive(Deserialize)]
struct FileVersion {
    version: u32,
}

/// Why a baseline could not be made, read or written. `Debug` says it in words too, for a `main` that returns it.
#[non_exhaustive]
pub enum BaselineError {
    /// It is not JSON of this form. Keys that are not known are refused, since they would be lost.
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
    /// It was written by a later version of this crate.
    Version {
        /// Its version.
        found: u32,
    },
    /// An occupancy that is not above 0.0 and at most 1.0.
    Occupancy {
        /// The kernel, mangled.
        kernel: String,
        /// The number.
        found: f64,
    },
    /// A kernel is there twice for one target with different numbers (or twice in a file).
    Duplicate {
        /// The kernel, mangled.
        kernel: String,
        /// The target.
        target: Option<CodeTarget>,
    },
    /// The file could not be read or written.
    File {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The file is none of this form.
    In {
        /// Which one.
        path: PathBuf,
        /// What is wrong in it.
        error: Box<BaselineError>,
    },
}

impl fmt::Debug for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaselineError::Form { line, column, problem } => write!(f, "line {line}, column {column}: {problem}"),
            BaselineError::Version { found } => {
                write!(f, "the baseline has version {found}, only {VERSION} is known: use a later version of this tool")
            }
            BaselineError::Occupancy { kernel, found } => {
                write!(f, "the occupancy of `{kernel}` must be above 0 and at most 1, it is {found}")
            }
            BaselineError::Duplicate { kernel, target } => {
                write!(f, "`{kernel}` is there twice")?;
                target.map_or(Ok(()), |target| write!(f, " for `{target}`"))
            }
            BaselineError::File { path, error } => {
                write!(f, "the baseline `{}` cannot be read or written: {error}", path.display())?;
                match error.kind() {
                    std::io::ErrorKind::NotFound => f.write_str("; `Baseline::write` makes it"),
                    _ => Ok(()),
                }
            }
            BaselineError::In { path, error } => write!(f, "the baseline `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for BaselineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BaselineError::File { error, .. } => Some(error),
            BaselineError::In { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl Baseline {
    /// A baseline without kernels.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many lines it has: kernels, for one target each.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it has no kernels.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a kernel, with what `launch` reaches on the capability it was built for. The same line again is no error.
    ///
    /// The occupancy stays unknown where the registers, the static shared memory or the capability are not known;
    /// barriers that are not known are taken as 1, as in NVIDIA's own calculation.
    ///
    /// # Errors
    ///
    /// [`BaselineError::Duplicate`] if the kernel is there for this target with other numbers.
    pub fn add(&mut self, image: &KernelImage, launch: Option<&Launch>) -> Result<(), BaselineError> {
        let line = Line {
            kernel: (*image.name).to_owned(),
            name: image.demangled(),
            target: image.target,
            registers: image.registers,
            static_smem: image.static_smem,
            barriers: image.barriers,
            stack: image.stack.map(|stack| match stack {
                Stack::Bytes(bytes) => StackBytes::Bytes(bytes),
                Stack::Unbounded => StackBytes::Unbounded(Unbounded::Unbounded),
            }),
            spills: image.spills.map(|Spills { stores, loads }| SpilledBytes { stores, loads }),
            block: launch.map(|launch| launch.block),
            dynamic_smem: launch.map(|launch| launch.dynamic_smem),
            occupancy: launch.and_then(|launch| reached(image, launch)),
        };
        self.insert(line, true)
    }

    fn insert(&mut self, line: Line, allows_same: bool) -> Result<(), BaselineError> {
        match self.lines.entry((line.kernel.clone(), line.target.map(order))) {
            Entry::Vacant(place) => {
                place.insert(line);
                Ok(())
            }
            Entry::Occupied(place) if allows_same && *place.get() == line => Ok(()),
            Entry::Occupied(_) => Err(BaselineError::Duplicate { kernel: line.kernel, target: line.target }),
        }
    }

    /// Reads the text of a baseline.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] if it is not one.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let FileVersion { version } = json(text)?;
        if version != VERSION {
            return Err(BaselineError::Version { found: version });
        }
        let file: File = json(text)?;
        let mut baseline = Baseline::new();
        for line in file.kernels {
            if let Some(Reached::Occupancy(found)) = line.occupancy
                && !(found > 0.0 && found <= 1.0)
            {
                return Err(BaselineError::Occupancy { kernel: line.kernel, found });
            }
            baseline.insert(line, false)?;
        }
        Ok(baseline)
    }

    /// Reads a baseline file.
    ///
    /// # Errors
    ///
    /// [`BaselineError`] if there is none or it is not one.
    pub fn read(path: impl AsRef<Path>) -> Result<Baseline, BaselineError> {
        let path = path.as_ref();
        let text =
            std::fs::read_to_string(path).map_err(|error| BaselineError::File { path: path.to_owned(), error })?;
        Self::parse(&text).map_err(|error| BaselineError::In { path: path.to_owned(), error: Box::new(error) })
    }

    /// Writes a baseline file.
    ///
    /// # Errors
    ///
    /// [`BaselineError::File`] if it cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), BaselineError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_string()).map_err(|error| BaselineError::File { path: path.to_owned(), error })
    }
}

/// The text of the file, with a newline at its end.
impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\n\"version\": {VERSION},\n\"kernels\": [")?;
        for (at, line) in self.lines.values().enumerate() {
            let separator = if at == 0 { "" } else { "," };
            write!(f, "{separator}\n{}", serde_json::to_string(line).map_err(|_| fmt::Error)?)?;
        }
        f.write_str("\n]\n}\n")
    }
}

fn json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BaselineError> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let problem = error.to_string();
        let position = format!(" at line {line} column {column}");
        BaselineError::Form { line, column, problem: problem.strip_suffix(&position).unwrap_or(&problem).to_owned() }
    })
}

/// Machine code before PTX, then by number and suffix.
fn order(target: CodeTarget) -> (bool, u32, Portability) {
    (target.code == Code::Ptx, target.number, target.portability)
}

fn reached(image: &KernelImage, launch: &Launch) -> Option<Reached> {
    let arch = image.target?.known()?.arch;
    // Without these, the number would be a guess.
    image.registers.and(image.static_smem)?;
    let kernel = image.kernel();
    Some(match occupancy(arch.limits(), &kernel, launch) {
        Ok(occupancy) => Reached::Occupancy((occupancy.fraction() * 1e4).round() / 1e4),
        Err(_) => Reached::Refused(Refused::Refused),
    })
}

/// A target as its name.
mod target_name {
    use super::CodeTarget;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(target: &Option<CodeTarget>, serializer: S) -> Result<S::Ok, S::Error> {
        target.map(|target| target.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Option<CodeTarget>, D::Error> {
        let Some(name) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let target = CodeTarget::parse(&name).filter(|target| target.to_string() == name);
        target.map(Some).ok_or_else(|| D::Error::custom(format_args!("`{name}` is not a target such as `sm_80`")))
    }
}

/// How much worse a kernel may become before it is a difference. By default nothing may.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// More registers per thread.
    pub registers: u32,
    /// More static shared memory, in bytes.
    pub static_smem: u32,
    /// More barriers.
    pub barriers: u32,
    /// More stack, in bytes.
    pub stack: u32,
    /// More bytes spilled, of stores and of loads each.
    pub spills: u32,
    /// How much lower the occupancy may be, 0.0 to 1.0.
    pub occupancy: f64,
}

/// How one kernel for one target differs between two baselines.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The kernel, mangled.
    pub kernel: String,
    /// The kernel as it can be read.
    pub name: String,
    /// Its target.
    pub target: Option<CodeTarget>,
    /// What is different.
    pub change: Change,
}

/// What is different.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// The kernel is new.
    Added,
    /// The kernel is gone.
    Removed,
    /// It takes more of something, beyond the tolerance.
    Grew {
        /// Of what.
        quantity: &'static str,
        /// How much it took. The largest `u64` for a stack without bound.
        from: u64,
        /// How much it takes.
        to: u64,
        /// The occupancy of its declared launch before and now, if both are known.
        occupancy: Option<[f64; 2]>,
    },
    /// It takes less of something.
    Shrank {
        /// Of what.
        quantity: &'static str,
        /// How much it took.
        from: u64,
        /// How much it takes.
        to: u64,
        /// The occupancy of its declared launch before and now, if both are known.
        occupancy: Option<[f64; 2]>,
    },
    /// Its declared launch reaches less, beyond the tolerance. 0.0: it can no longer run.
    OccupancyFell {
        /// What it reached.
        from: f64,
        /// What it reaches.
        to: f64,
    },
    /// Its declared launch reaches more. 0.0: it could not run.
    OccupancyRose {
        /// What it reached.
        from: f64,
        /// What it reaches.
        to: f64,
    },
    /// Something that was known is not any more, so growth could not be seen.
    Lost {
        /// What.
        quantity: &'static str,
    },
}

impl Difference {
    /// Whether the kernel became worse: it takes more, or its launch reaches less.
    pub fn is_regression(&self) -> bool {
        matches!(self.change, Change::Grew { .. } | Change::OccupancyFell { .. })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)?;
        if let Some(target) = self.target {
            write!(f, " for `{target}`")?;
        }
        match &self.change {
            Change::Added => f.write_str(" is new"),
            Change::Removed => f.write_str(" is gone"),
            Change::Grew { quantity, from, to, occupancy } => {
                write!(f, ": {quantity} grew from {} to {}{}", amount(*from), amount(*to), effect(*occupancy))
            }
            Change::Shrank { quantity, from, to, occupancy } => {
                write!(f, ": {quantity} shrank from {} to {}{}", amount(*from), amount(*to), effect(*occupancy))
            }
            Change::OccupancyFell { from, to } => write!(f, ": occupancy fell from {} to {}", share(*from), share(*to)),
            Change::OccupancyRose { from, to } => write!(f, ": occupancy rose from {} to {}", share(*from), share(*to)),
            Change::Lost { quantity } => write!(f, ": {quantity} were known and are not any more"),
        }
    }
}

fn amount(number: u64) -> String {
    if number == u64::MAX { "no bound".to_owned() } else { number.to_string() }
}

/// Percent with at most two decimals.
fn share(occupancy: f64) -> String {
    if occupancy > 0.0 {
        format!("{}%", (occupancy * 1e4).round() / 1e2)
    } else {
        "a launch that cannot run".to_owned()
    }
}

fn effect(occupancy: Option<[f64; 2]>) -> String {
    let mut text = String::new();
    if let Some([from, to]) = occupancy {
        // Writing to a string does not fail.
        let _ = if from.total_cmp(&to).is_eq() {
            write!(text, ", occupancy stays {}", share(to))
        } else {
            write!(text, ", occupancy goes from {} to {}", share(from), share(to))
        };
    }
    text
}

/// What became different from `old` to `new`: kernels by name and target, for each its resources, then its occupancy.
///
/// Growth within the tolerance is no difference. What was unknown before is compared with nothing.
pub fn compare(old: &Baseline, new: &Baseline, tolerance: &Tolerance) -> Vec<Difference> {
    let keys: std::collections::BTreeSet<&Key> = old.lines.keys().chain(new.lines.keys()).collect();
    let mut differences = Vec::new();
    for key in keys {
        let (line, changes) = match (old.lines.get(key), new.lines.get(key)) {
            (Some(old), Some(new)) => (new, changes(old, new, tolerance)),
            (None, Some(new)) => (new, vec![Change::Added]),
            (Some(old), None) => (old, vec![Change::Removed]),
            (None, None) => continue,
        };
        differences.extend(changes.into_iter().map(|change| Difference {
            kernel: line.kernel.clone(),
            name: line.name.clone(),
            target: line.target,
            change,
        }));
    }
    differences
}

/// A quantity, how much of it a line states, and how much more is tolerated.
type Compared = (&'static str, fn(&Line) -> Option<u64>, fn(&Tolerance) -> u32);

const COMPARED: [Compared; 6] = [
    ("registers", |line| line.registers.map(u64::from), |tolerance| tolerance.registers),
    ("bytes of static shared memory", |line| line.static_smem.map(u64::from), |tolerance| tolerance.static_smem),
    ("barriers", |line| line.barriers.map(u64::from), |tolerance| tolerance.barriers),
    ("bytes of stack", |line| line.stack.map(StackBytes::amount), |tolerance| tolerance.stack),
    ("bytes of spill stores", |line| line.spills.map(|spills| spills.stores.into()), |tolerance| tolerance.spills),
    ("bytes of spill loads", |line| line.spills.map(|spills| spills.loads.into()), |tolerance| tolerance.spills),
];

impl StackBytes {
    fn amount(self) -> u64 {
        match self {
            StackBytes::Bytes(bytes) => bytes.into(),
            StackBytes::Unbounded(_) => u64::MAX,
        }
    }
}

impl Reached {
    fn fraction(self) -> f64 {
        match self {
            Reached::Occupancy(fraction) => fraction,
            Reached::Refused(_) => 0.0,
        }
    }
}

fn changes(old: &Line, new: &Line, tolerance: &Tolerance) -> Vec<Change> {
    let reached = |line: &Line| line.occupancy.map(Reached::fraction);
    let occupancy = reached(old).zip(reached(new)).map(|(from, to)| [from, to]);
    let mut changes = Vec::new();
    for (quantity, of, tolerated) in COMPARED {
        match (of(old), of(new)) {
            (Some(from), Some(to)) if to > from.saturating_add(tolerated(tolerance).into()) => {
                changes.push(Change::Grew { quantity, from, to, occupancy });
            }
            (Some(from), Some(to)) if to < from => changes.push(Change::Shrank { quantity, from, to, occupancy }),
            (Some(_), None) => changes.push(Change::Lost { quantity }),
            _ => {}
        }
    }
    // Four decimals are compared, so half of the last one does not count.
    match occupancy {
        Some([from, to]) if to == 0.0 && from > 0.0 => changes.push(Change::OccupancyFell { from, to }),
        Some([from, to]) if from - to > tolerance.occupancy + 5e-5 => changes.push(Change::OccupancyFell { from, to }),
        Some([from, to]) if to - from > 5e-5 => changes.push(Change::OccupancyRose { from, to }),
        _ => {}
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::{Format, Origin};

    fn image(name: &str, number: u32, registers: u32) -> KernelImage {
        let target = CodeTarget { number, code: Code::Binary, portability: Portability::Base };
        KernelImage {
            target: Some(target),
            registers: Some(registers),
            static_smem: Some(0),
            barriers: Some(1),
            stack: Some(Stack::Bytes(0)),
            ..KernelImage::new(name, Origin::whole(Format::Cubin))
        }
    }

    fn baseline(images: &[KernelImage], launch: Option<&Launch>) -> Baseline {
        let mut baseline = Baseline::new();
        for image in images {
            baseline.add(image, launch).unwrap();
        }
        baseline
    }

    fn differences(old: &KernelImage, new: &KernelImage, launch: Option<&Launch>, tolerance: Tolerance) -> Vec<String> {
        let found = compare(
            &baseline(std::slice::from_ref(old), launch),
            &baseline(std::slice::from_ref(new), launch),
            &tolerance,
        );
        found
            .iter()
            .map(|difference| format!("{}{difference}", if difference.is_regression() { "! " } else { "" }))
            .collect()
    }

    /// The occupancy of the second line: 128 registers × 256 threads are half of 65,536, so 2 blocks of 8 of 64 warps.
    #[test]
    fn the_file() {
        let spills = Some(Spills { stores: 8, loads: 4 });
        let images = [
            KernelImage { spills, stack: Some(Stack::Unbounded), ..image("b", 100, 32) },
            image("b", 90, 32),
            KernelImage { registers: None, static_smem: None, barriers: None, ..image("c\"é", 80, 0) },
            image("a", 80, 128),
        ];
        let mut written = baseline(&images[..3], None);
        written.add(&images[3], Some(&Launch::new(256).dynamic_smem(64))).unwrap();
        let text = "{\n\"version\": 1,\n\"kernels\": [\n\
            {\"kernel\":\"a\",\"name\":\"a\",\"target\":\"sm_80\",\"registers\":128,\"static_smem\":0,\"barriers\":1,\
            \"stack\":0,\"spills\":null,\"block\":[256,1,1],\"dynamic_smem\":64,\"occupancy\":0.25},\n\
            {\"kernel\":\"b\",\"name\":\"b\",\"target\":\"sm_90\",\"registers\":32,\"static_smem\":0,\"barriers\":1,\
            \"stack\":0,\"spills\":null,\"block\":null,\"dynamic_smem\":null,\"occupancy\":null},\n\
            {\"kernel\":\"b\",\"name\":\"b\",\"target\":\"sm_100\",\"registers\":32,\"static_smem\":0,\"barriers\":1,\
            \"stack\":\"unbounded\",\"spills\":{\"stores\":8,\"loads\":4},\"block\":null,\"dynamic_smem\":null,\
            \"occupancy\":null},\n\
            {\"kernel\":\"c\\\"é\",\"name\":\"c\\\"é\",\"target\":\"sm_80\",\"registers\":null,\"static_smem\":null,\
            \"barriers\":null,\"stack\":0,\"spills\":null,\"block\":null,\"dynamic_smem\":null,\"occupancy\":null}\n]\n}\n";
        assert_eq!(written.to_string(), text);
        let read = Baseline::parse(text).unwrap();
        assert_eq!((&read, read.to_string().as_str()), (&written, text));
        assert_eq!(Baseline::parse(&text.replace('\n', "\r\n")).unwrap().to_string(), text);
        assert_eq!(Baseline::parse(&Baseline::new().to_string()).unwrap(), Baseline::new());
    }

    /// The published rows for a Tesla T4: a reservation of shared memory against a 256-thread block.
    #[test]
    fn occupancy_on_a_t4() {
        for (reserved, occupancy) in [(0, 1.0), (21_760, 0.75), (32_768, 0.5), (49_152, 0.25)] {
            let launch = Launch::new(256).dynamic_smem(reserved);
            assert_eq!(reached(&image("k", 75, 16), &launch), Some(Reached::Occupancy(occupancy)));
        }
        let unknown = KernelImage { registers: None, ..image("k", 75, 0) };
        assert_eq!(reached(&unknown, &Launch::new(256)), None);
        // 162 registers × 512 threads exceed 65,536.
        let refused = reached(&image("k", 89, 162), &Launch::new(512));
        assert_eq!(refused, Some(Reached::Refused(Refused::Refused)));
    }

    /// 64 registers leave 4 blocks of 256 threads on 8.0, 32 leave 8 of 8, the whole SM.
    #[test]
    fn growth_and_what_it_does() {
        let launch = Launch::new(256);
        let (old, new) = (image("k", 80, 32), image("k", 80, 64));
        assert_eq!(
            differences(&old, &new, Some(&launch), Tolerance::default()),
            [
                "! `k` for `sm_80`: registers grew from 32 to 64, occupancy goes from 100% to 50%",
                "! `k` for `sm_80`: occupancy fell from 100% to 50%"
            ]
        );
        assert_eq!(
            differences(&new, &old, Some(&launch), Tolerance::default()),
            [
                "`k` for `sm_80`: registers shrank from 64 to 32, occupancy goes from 50% to 100%",
                "`k` for `sm_80`: occupancy rose from 50% to 100%"
            ]
        );
        let tolerance = Tolerance { registers: 32, occupancy: 0.5, ..Tolerance::default() };
        assert!(differences(&old, &new, Some(&launch), tolerance).is_empty());
        let tolerance = Tolerance { registers: 31, occupancy: 0.49, ..Tolerance::default() };
        assert_eq!(differences(&old, &new, Some(&launch), tolerance).len(), 2);
    }

    #[test]
    fn every_quantity_is_compared() {
        let spills = Some(Spills { stores: 8, loads: 4 });
        let old = KernelImage { spills, ..image("k", 80, 32) };
        for (new, words) in [
            (KernelImage { static_smem: Some(1), ..old.clone() }, "bytes of static shared memory grew from 0 to 1"),
            (KernelImage { barriers: Some(2), ..old.clone() }, "barriers grew from 1 to 2"),
            (KernelImage { stack: Some(Stack::Bytes(8)), ..old.clone() }, "bytes of stack grew from 0 to 8"),
            (KernelImage { stack: Some(Stack::Unbounded), ..old.clone() }, "bytes of stack grew from 0 to no bound"),
            (
                KernelImage { spills: Some(Spills { stores: 9, loads: 4 }), ..old.clone() },
                "bytes of spill stores grew from 8 to 9",
            ),
            (
                KernelImage { spills: Some(Spills { stores: 8, loads: 5 }), ..old.clone() },
                "bytes of spill loads grew from 4 to 5",
            ),
        ] {
            assert_eq!(differences(&old, &new, None, Tolerance::default()), [format!("! `k` for `sm_80`: {words}")]);
        }
        let lost = KernelImage { registers: None, ..old.clone() };
        assert_eq!(
            differences(&old, &lost, None, Tolerance::default()),
            ["`k` for `sm_80`: registers were known and are not any more"]
        );
        assert!(differences(&lost, &old, None, Tolerance::default()).is_empty());
    }

    #[test]
    fn a_launch_that_can_no_longer_run() {
        let tolerance = Tolerance { registers: 255, occupancy: 1.0, ..Tolerance::default() };
        assert_eq!(
            differences(&image("k", 89, 64), &image("k", 89, 162), Some(&Launch::new(512)), tolerance),
            ["! `k` for `sm_89`: occupancy fell from 66.67% to a launch that cannot run"]
        );
    }

    #[test]
    fn new_and_removed() {
        let (old, new) = (baseline(&[image("a", 80, 1)], None), baseline(&[image("a", 90, 1)], None));
        let found = compare(&old, &new, &Tolerance::default());
        assert_eq!(
            found.iter().map(|difference| &difference.change).collect::<Vec<_>>(),
            [&Change::Removed, &Change::Added]
        );
        assert!(!found.iter().any(Difference::is_regression));
        assert_eq!(found[1].to_string(), "`a` for `sm_90` is new");
    }

    #[test]
    fn duplicates() {
        let mut baseline = baseline(&[image("k", 80, 1), image("k", 80, 1)], None);
        assert_eq!(baseline.len(), 1);
        let error = baseline.add(&image("k", 80, 2), None).unwrap_err();
        assert_eq!(error.to_string(), "`k` is there twice for `sm_80`");
        let text = baseline.to_string();
        let line = text.lines().nth(3).unwrap();
        assert!(matches!(
            Baseline::parse(&text.replace(line, &format!("{line},\n{line}"))),
            Err(BaselineError::Duplicate { .. })
        ));
    }

    #[test]
    fn what_is_not_a_baseline() {
        let text = baseline(&[image("k", 80, 1)], Some(&Launch::new(32))).to_string();
        let problem = |text: &str| Baseline::parse(text).unwrap_err();
        for (from, to, at) in [
            ("\"registers\":1", "\"registers\":-1", 4),
            ("\"registers\":1", "\"registers\":4294967296", 4),
            ("\"registers\":1", "\"registers\":1,\"warps\":1", 4),
            ("sm_80", "sm_8O", 4),
            ("sm_80", "sm_080", 4),
            ("\"stack\":0", "\"stack\":\"endless\"", 4),
            ("\"block\":[32,1,1]", "\"block\":[32,1]", 4),
            ("\n]\n}\n", "\n]\n", 6),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            let error = problem(&changed);
            assert!(matches!(error, BaselineError::Form { line, .. } if line == at || at == 6), "{to}: {error:?}");
        }
        assert!(matches!(
            problem(&text.replace("\"version\": 1", "\"version\": 2")),
            BaselineError::Version { found: 2 }
        ));
        for occupancy in ["0", "1.5", "-0.5"] {
            let changed = text.replace("\"occupancy\":0.5", &format!("\"occupancy\":{occupancy}"));
            assert!(matches!(problem(&changed), BaselineError::Occupancy { .. }), "{occupancy}");
        }
        for hostile in ["", "null", "[]", "{", "{}", "{\"version\":1e999}", "\u{feff}{}", &"[".repeat(100_000)] {
            assert!(Baseline::parse(hostile).is_err());
        }
        let deep = format!("{{\"version\":1,\"x\":{}", "[".repeat(100_000));
        assert!(Baseline::parse(&deep).is_err());
    }
}

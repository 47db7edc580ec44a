//! The baseline file.

use super::error::BaselineError;
use super::row::{Entry, NumberOr, Row, VERSION};
use crate::image::KernelImage;
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use occ_core::{Code, Launch, Portability, occupancy};
use serde::Deserialize;
use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::path::Path;

/// The resources of kernels at a point in time.
///
/// Its text is JSON with one line for each kernel and target, sorted, so that a review shows each change as a line.
/// Unknown values are `null`. Reading and writing a file changes no byte.
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
    pub(super) entries: BTreeMap<Key, Entry>,
}

/// A kernel's mangled name and its target, in the order of the file: machine code before PTX, then by number and suffix.
pub(super) type Key = (String, Option<(bool, u32, Portability)>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: u32,
    kernels: Vec<Row>,
}

/// The part that is read first: files of later versions can have other keys.
#[derive(Deserialize)]
struct FileVersion {
    version: u32,
}

impl Baseline {
    /// Creates a baseline without kernels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of lines: one for each kernel and target.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether it has no kernels.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a kernel, with the occupancy of `launch` on the capability that the kernel was compiled for. Adding an equal line
    /// again is not an error.
    ///
    /// The occupancy is unknown if registers, static shared memory or the capability are unknown. Unknown barriers count
    /// as 1, as in NVIDIA's own calculation.
    ///
    /// # Errors
    ///
    /// Returns [`BaselineError::Duplicate`] if the baseline has other numbers for this kernel and target.
    pub fn add(&mut self, image: &KernelImage, launch: Option<&Launch>) -> Result<(), BaselineError> {
        let &KernelImage { target, registers, static_smem, barriers, stack, spills, .. } = image;
        let origin = Origin::whole(Format::Baseline);
        let entry = Entry {
            name: image.demangled(),
            block: launch.map(|launch| launch.block),
            dynamic_smem: launch.map(|launch| launch.dynamic_smem),
            occupancy: launch.and_then(|launch| occupancy_of(image, launch)),
            image: KernelImage {
                target,
                registers,
                static_smem,
                barriers,
                stack,
                spills,
                ..KernelImage::new(image.name.clone(), origin)
            },
        };
        self.insert(entry, true)
    }

    fn insert(&mut self, entry: Entry, allow_equal: bool) -> Result<(), BaselineError> {
        let (kernel, target) = (&*entry.image.name, entry.image.target);
        match self.entries.entry((kernel.to_owned(), target.map(order))) {
            btree_map::Entry::Vacant(place) => {
                place.insert(entry);
                Ok(())
            }
            btree_map::Entry::Occupied(place) if allow_equal && *place.get() == entry => Ok(()),
            btree_map::Entry::Occupied(_) => Err(BaselineError::Duplicate { kernel: kernel.to_owned(), target }),
        }
    }

    /// Parses the text of a baseline.
    ///
    /// # Errors
    ///
    /// Returns a [`BaselineError`] if the text is not a baseline.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let FileVersion { version } = json(text)?;
        if version != VERSION {
            return Err(BaselineError::Version { found: version });
        }
        let file: File = json(text)?;
        let mut baseline = Baseline::new();
        for row in file.kernels {
            if let Some(NumberOr::Number(found)) = row.occupancy
                && !(found > 0.0 && found <= 1.0)
            {
                return Err(BaselineError::Occupancy { kernel: row.kernel, found });
            }
            baseline.insert(row.into(), false)?;
        }
        Ok(baseline)
    }

    /// Reads a baseline file.
    ///
    /// # Errors
    ///
    /// Returns a [`BaselineError`] if the file cannot be read or is not a baseline.
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
    /// Returns [`BaselineError::File`] if the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), BaselineError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_string()).map_err(|error| BaselineError::File { path: path.to_owned(), error })
    }
}

/// Writes the text of the file, with a newline at its end.
impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\n\"version\": {VERSION},\n\"kernels\": [")?;
        for (index, entry) in self.entries.values().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}\n{}", serde_json::to_string(&Row::from(entry)).map_err(|_| fmt::Error)?)?;
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

fn order(target: CodeTarget) -> (bool, u32, Portability) {
    (target.code == Code::Ptx, target.number, target.portability)
}

/// Returns the occupancy of a launch to four decimals, 0.0 if it cannot run.
fn occupancy_of(image: &KernelImage, launch: &Launch) -> Option<f64> {
    let arch = image.target?.known()?.arch();
    // Without these numbers the occupancy would be a guess.
    image.registers.and(image.static_smem)?;
    let occupancy = occupancy(arch.limits(), &image.kernel(), launch);
    Some(occupancy.map_or(0.0, |occupancy| (occupancy.fraction() * 1e4).round() / 1e4))
}

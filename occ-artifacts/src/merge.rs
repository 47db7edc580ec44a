//! Merges several sources of a kernel: values that one lacks come from another, and values in several must agree.

use crate::image::{KernelImage, Stack};
use crate::origin::Format;
use crate::quantity::{Quantity, difference};
use crate::target::CodeTarget;
use occ_core::{Code, Portability};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A quantity that two sources state differently of one kernel for one target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// The mangled name of the kernel.
    pub kernel: Arc<str>,
    /// The target. `None` where neither source tells it.
    pub target: Option<CodeTarget>,
    /// The quantity that differs.
    pub quantity: Quantity,
    /// A source and its value.
    pub one: (Box<str>, Box<str>),
    /// The other source and its value.
    pub other: (Box<str>, Box<str>),
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contradiction { kernel, target, quantity, one, other } = self;
        write!(f, "different {quantity} of `{}`", crate::names::demangled(kernel))?;
        if let Some(target) = target {
            write!(f, " for `{target}`")?;
        }
        write!(f, ": {} in `{}` and {} in `{}`; ", one.1, one.0, other.1, other.0)?;
        f.write_str("one of the files is stale, so take both from the same build")
    }
}

impl std::error::Error for Contradiction {}

/// Merges the images of several sources into one for each kernel and target.
///
/// Each source is a name, such as its path, and what was read from it. Values that two sources know must be equal; values
/// that one does not know are taken from the other: spills from a compiler log, the minimum blocks per SM from PTX. The
/// image of the PTX itself stays. PTX belongs to machine code of the same number only: `compute_80` to `sm_80`. Within one
/// source nothing is merged, except that the machine code of a fatbin is completed from its PTX.
///
/// - Numbers before and after linking may differ; those after linking count.
/// - A cubin does not tell `sm_100f` from `sm_100`: if another source has only `sm_100f`, the cubin is taken to be for it.
/// - Images without a target are merged by name if the kernel has only one target, and stay apart otherwise.
///
/// # Errors
///
/// Returns a [`Contradiction`] if two sources state different numbers: one of the files is stale.
///
/// ```
/// use occ_artifacts::{Format, KernelImage, Origin, Spills, merge};
///
/// let mut cubin = KernelImage::new("k", Origin::whole(Format::Cubin));
/// cubin.registers = Some(32);
/// let mut log = KernelImage::new("k", Origin::whole(Format::CompilerLog));
/// log.registers = Some(32);
/// log.spills = Some(Spills { stores: 8, loads: 4 });
/// let merged = merge(&[("k.cubin", vec![cubin]), ("k.log", vec![log.clone()])]).unwrap();
/// assert_eq!((merged.len(), merged[0].spills), (1, log.spills));
/// ```
pub fn merge(sources: &[(&str, Vec<KernelImage>)]) -> Result<Vec<KernelImage>, Contradiction> {
    let mut merging = Merging { sources, entries: Vec::new(), by_name: HashMap::new(), numbers: HashMap::new() };
    // Images without a target come last, when the targets of the others are known.
    for has_target in [true, false] {
        for source in merge_order(sources) {
            let Some((_, images)) = sources.get(source) else { continue };
            for (at, image) in images.iter().enumerate() {
                if image.target.is_some() == has_target {
                    merging.add(source, at, image)?;
                }
            }
        }
    }
    merging.fill_from_ptx()?;
    Ok(merging.entries.into_iter().map(|entry| entry.image).collect())
}

/// Returns the sources in the order of merging: those that hold a kernel several times for one target come first, so that the
/// others join the image that they agree with.
fn merge_order(sources: &[(&str, Vec<KernelImage>)]) -> Vec<usize> {
    let has_duplicates = |source: &usize| {
        let mut by_name = ByName::new();
        let images = sources.get(*source).map_or(&[][..], |(_, images)| images);
        for (at, image) in images.iter().enumerate() {
            by_name.entry((&image.name, number(image))).or_default().push(at);
        }
        by_name.values().any(|images| images.len() > 1)
    };
    let (mut order, others): (Vec<usize>, Vec<usize>) = (0..sources.len()).partition(has_duplicates);
    order.extend(others);
    order
}

/// Indices by the name of a kernel and, where it matters, the number of its target.
type ByName<'a> = HashMap<(&'a str, Option<u32>), Vec<usize>>;

fn number(image: &KernelImage) -> Option<u32> {
    image.target.map(|target| target.number)
}

/// The maximum number of images with the same name and number that an image is compared with.
const MAX_COMPARED: usize = 64;

/// The images merged so far.
struct Merging<'a> {
    sources: &'a [(&'a str, Vec<KernelImage>)],
    entries: Vec<Entry>,
    /// Indices of entries by name and the number of their target.
    by_name: ByName<'a>,
    /// Indices of the first entry for each name and number, by name; at most `MAX_COMPARED` for each name.
    numbers: ByName<'a>,
}

struct Entry {
    image: KernelImage,
    /// The images it was merged from, each as the index of a source and of an image in it.
    parts: Vec<(usize, usize)>,
}

impl<'a> Merging<'a> {
    fn add(&mut self, source: usize, at: usize, image: &'a KernelImage) -> Result<(), Contradiction> {
        let candidates = self.candidates(source, image);
        let mut conflict = None;
        let mut merged = false;
        for candidate in candidates {
            let Some(entry) = self.entries.get_mut(candidate) else { continue };
            match combine(&entry.image, image) {
                Ok(combined) => {
                    entry.image = combined;
                    entry.parts.push((source, at));
                    merged = true;
                }
                Err(difference) => conflict = conflict.or(Some((candidate, difference))),
            }
        }
        match conflict {
            Some((candidate, (quantity, values))) if !merged => {
                Err(self.contradiction(candidate, (source, at), quantity, values))
            }
            _ => {
                if !merged {
                    let entries = self.by_name.entry((&image.name, number(image))).or_default();
                    entries.push(self.entries.len());
                    let numbers = self.numbers.entry((&image.name, None)).or_default();
                    if image.target.is_some() && entries.len() == 1 && numbers.len() < MAX_COMPARED {
                        numbers.push(self.entries.len());
                    }
                    self.entries.push(Entry { image: image.clone(), parts: vec![(source, at)] });
                }
                Ok(())
            }
        }
    }

    /// Returns the images of other sources that are the same kernel for the same target.
    fn candidates(&self, source: usize, image: &'a KernelImage) -> Vec<usize> {
        let others = self.others(source, image, image.target.map(|target| target.number));
        let target_of = |at: &usize| self.entries.get(*at).and_then(|entry| entry.image.target);
        let same: Vec<usize> = others.iter().copied().filter(|at| target_of(at) == image.target).collect();
        if !same.is_empty() {
            return same;
        }
        if image.target.is_none() {
            let firsts = self.numbers.get(&(&*image.name, None)).into_iter().flatten();
            let numbers = firsts.filter_map(|first| number(&self.entries.get(*first)?.image));
            let others: Vec<usize> = numbers.flat_map(|number| self.others(source, image, Some(number))).collect();
            let mut machine_code = others.iter().filter_map(target_of).filter(|target| target.code == Code::Binary);
            let only = machine_code.next().filter(|first| machine_code.all(|target| target == *first));
            return others.into_iter().filter(|at| only.is_some() && target_of(at) == only).collect();
        }
        let is_family = |at: &usize| {
            self.entries
                .get(*at)
                .is_some_and(|entry| can_be_family(&entry.image, image) || can_be_family(image, &entry.image))
        };
        others.into_iter().filter(is_family).collect()
    }

    /// Returns the images with its name and this number from other sources.
    fn others(&self, source: usize, image: &'a KernelImage, number: Option<u32>) -> Vec<usize> {
        let named = self.by_name.get(&(&*image.name, number)).map_or(&[][..], Vec::as_slice);
        let is_other =
            |at: &usize| self.entries.get(*at).is_some_and(|entry| entry.parts.iter().all(|part| part.0 != source));
        named.iter().copied().take(MAX_COMPARED).filter(is_other).collect()
    }

    /// Adds the minimum blocks per SM and missing bounds of machine code from PTX of the same number.
    fn fill_from_ptx(&mut self) -> Result<(), Contradiction> {
        // In the order of the entries, so that every run reports the same contradiction.
        for filled in 0..self.entries.len() {
            let Some(entry) = self.entries.get(filled) else { continue };
            let name = entry.image.name.clone();
            let indices = self.by_name.get(&(&*name, number(&entry.image))).map_or(&[][..], Vec::as_slice);
            for source in indices.iter().take(MAX_COMPARED) {
                let Some((ptx, machine_code)) = self.entries.get(*source).zip(self.entries.get(filled)) else {
                    continue;
                };
                if !is_ptx_of(ptx, machine_code) {
                    continue;
                }
                let mut image = machine_code.image.clone();
                if let Some((quantity, values)) = difference(&image, &ptx.image) {
                    let part = ptx.parts.first().copied().unwrap_or_default();
                    return Err(self.contradiction(filled, part, quantity, values));
                }
                image.min_blocks_per_sm = image.min_blocks_per_sm.or(ptx.image.min_blocks_per_sm);
                image.bounds = image.bounds.or(ptx.image.bounds);
                if let Some(entry) = self.entries.get_mut(filled) {
                    entry.image = image;
                }
            }
        }
        Ok(())
    }

    fn contradiction(
        &self,
        candidate: usize,
        (source, at): (usize, usize),
        quantity: Quantity,
        [value, other]: [String; 2],
    ) -> Contradiction {
        let image = |(source, at): (usize, usize)| self.sources.get(source).and_then(|source| source.1.get(at));
        let name = |source: usize| self.sources.get(source).map_or(String::new(), |source| source.0.to_owned());
        let parts = self.entries.get(candidate).map_or(&[][..], |entry| entry.parts.as_slice());
        // The part that states this value.
        let states =
            |part: &&(usize, usize)| image(**part).and_then(|image| quantity.of(image)).as_ref() == Some(&value);
        let stated_by = parts.iter().find(states).or(parts.first()).map_or(String::new(), |part| name(part.0));
        let image = image((source, at));
        let merged_target = self.entries.get(candidate).and_then(|entry| entry.image.target);
        Contradiction {
            kernel: image.map_or_else(|| Arc::from(""), |image| image.name.clone()),
            target: merged_target.or(image.and_then(|image| image.target)),
            quantity,
            one: (stated_by.into(), value.into()),
            other: (name(source).into(), other.into()),
        }
    }
}

/// Returns whether a cubin outside of a fatbin can be for the family target of the other image.
fn can_be_family(cubin: &KernelImage, other: &KernelImage) -> bool {
    let is_lone_cubin = cubin.origin.format == Format::Cubin && cubin.origin.container.is_none();
    is_lone_cubin
        && cubin.target.zip(other.target).is_some_and(|(target, other)| {
            target.portability == Portability::Base
                && other == CodeTarget { portability: Portability::Family, ..target }
        })
}

/// Returns whether `ptx` is PTX that belongs to `machine_code`.
fn is_ptx_of(ptx: &Entry, machine_code: &Entry) -> bool {
    let same_number = ptx.image.target.zip(machine_code.image.target).is_some_and(|(ptx, machine_code)| {
        ptx.code == Code::Ptx && machine_code == CodeTarget { code: Code::Binary, ..ptx }
    });
    let source = |entry: &Entry| entry.parts.first().map(|part| part.0);
    let fatbin = |entry: &Entry| {
        let origin = &entry.image.origin;
        (origin.member.clone(), origin.section.clone(), origin.container)
    };
    same_number && (source(ptx) != source(machine_code) || fatbin(ptx) == fatbin(machine_code))
}

/// Combines two images of a kernel, or returns the quantity in which they differ.
fn combine(one: &KernelImage, other: &KernelImage) -> Result<KernelImage, (Quantity, [String; 2])> {
    // Only numbers before and after linking may differ.
    let is_before_and_after = linkage(one).zip(linkage(other)).is_some_and(|(one, other)| one != other);
    if !is_before_and_after && let Some(difference) = difference(one, other) {
        return Err(difference);
    }
    let (base, more) = if rank(other) > rank(one) { (other, one) } else { (one, other) };
    let family = [base, more]
        .into_iter()
        .filter_map(|image| image.target)
        .find(|target| target.portability != Portability::Base);
    let mut image = base.clone();
    image.target = family.or(base.target).or(more.target);
    image.spills = base.spills.or(more.spills);
    image.bounds = base.bounds.or(more.bounds);
    image.min_blocks_per_sm = base.min_blocks_per_sm.or(more.min_blocks_per_sm);
    image.tensor_memory = base.tensor_memory.or(more.tensor_memory);
    image.setmaxnreg = base.setmaxnreg.or(more.setmaxnreg);
    image.toolkit = base.toolkit.or(more.toolkit);
    if !is_before_and_after {
        image.registers = base.registers.or(more.registers);
        image.static_smem = base.static_smem.or(more.static_smem);
        image.barriers = base.barriers.or(more.barriers);
        image.stack = larger(base.stack, more.stack);
    }
    Ok(image)
}

/// Returns the rank of a source. The higher one provides values that may differ, and the origin.
fn rank(image: &KernelImage) -> (bool, u8) {
    let format = match image.origin.format {
        Format::Cubin => 4,
        Format::CompilerLog => 3,
        Format::ResourceUsage => 2,
        Format::Baseline => 1,
        Format::Ptx => 0,
    };
    (linkage(image) == Some(true), format)
}

/// Returns whether the numbers are those after device linking. Texts only tell if they are not.
fn linkage(image: &KernelImage) -> Option<bool> {
    if image.origin.format == Format::Cubin || !image.is_linked { Some(image.is_linked) } else { None }
}

fn larger(one: Option<Stack>, other: Option<Stack>) -> Option<Stack> {
    match (one, other) {
        (Some(Stack::Bytes(one)), Some(Stack::Bytes(other))) => Some(Stack::Bytes(one.max(other))),
        (Some(Stack::Unbounded), _) | (_, Some(Stack::Unbounded)) => Some(Stack::Unbounded),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{Bounds, Spills};
    use crate::origin::Origin;

    fn image(format: Format, target: Option<(Code, u32)>) -> KernelImage {
        let target = target.map(|(code, number)| CodeTarget { number, code, portability: Portability::Base });
        KernelImage { target, ..KernelImage::new("_Z1kPi", Origin::whole(format)) }
    }

    fn cubin(number: u32, registers: u32) -> KernelImage {
        let bounds = Some(Bounds::default());
        KernelImage { registers: Some(registers), bounds, ..image(Format::Cubin, Some((Code::Binary, number))) }
    }

    fn log(number: u32, registers: u32) -> KernelImage {
        let spills = Some(Spills { stores: 8, loads: 4 });
        KernelImage { registers: Some(registers), spills, ..image(Format::CompilerLog, Some((Code::Binary, number))) }
    }

    fn ptx(number: u32) -> KernelImage {
        let bounds = Some(Bounds::default());
        let ptx = image(Format::Ptx, Some((Code::Ptx, number)));
        KernelImage { bounds, min_blocks_per_sm: Some(2), static_smem: Some(96), ..ptx }
    }

    #[test]
    fn a_log_adds_spills() {
        let [one, other] = [("k.cubin", vec![cubin(80, 32), cubin(90, 40)]), ("k.log", vec![log(80, 32)])];
        for sources in [[one.clone(), other.clone()], [other, one]] {
            let merged = merge(&sources).unwrap();
            let spilling = merged.iter().find(|image| image.spills.is_some()).unwrap();
            assert_eq!((merged.len(), spilling.registers), (2, Some(32)));
            assert_eq!(spilling.origin.format, Format::Cubin);
            assert!(spilling.bounds.is_some());
        }
    }

    #[test]
    fn a_stale_log() {
        let sources = [("k.cubin", vec![cubin(80, 32)]), ("k.log", vec![log(80, 34)])];
        assert_eq!(
            merge(&sources).unwrap_err().to_string(),
            format!(
                "different registers of `{}` for `sm_80`: 32 in `k.cubin` and 34 in `k.log`; one of the files is stale, \
                 so take both from the same build",
                if cfg!(feature = "demangle") { "k(int*)" } else { "_Z1kPi" }
            )
        );
    }

    /// The third source contradicts a value of the second, not of the first.
    #[test]
    fn a_contradiction_names_the_source_of_the_value() {
        let without_registers = KernelImage { registers: None, ..cubin(80, 0) };
        let sources = [("a", vec![without_registers]), ("b", vec![log(80, 32)]), ("c", vec![log(80, 33)])];
        let error = merge(&sources).unwrap_err();
        assert_eq!((&*error.one.0, &*error.other.0), ("b", "c"));
    }

    #[test]
    fn ptx_belongs_to_its_own_number() {
        let merged = merge(&[("k.ptx", vec![ptx(80)]), ("k.cubin", vec![cubin(80, 32), cubin(86, 33)])]).unwrap();
        let min_blocks: Vec<_> =
            merged.iter().map(|image| (image.target.unwrap().to_string(), image.min_blocks_per_sm)).collect();
        let expected = [("compute_80", Some(2)), ("sm_80", Some(2)), ("sm_86", None)];
        assert_eq!(min_blocks, expected.map(|(target, blocks)| (target.to_owned(), blocks)));
        assert_eq!(merged[1].static_smem, None, "PTX only estimates it");
    }

    #[test]
    fn a_fatbin_is_completed_only_from_its_own_ptx() {
        let within = |container, image: KernelImage| {
            let origin = Origin { container: Some(container), ..image.origin };
            KernelImage { origin, ..image }
        };
        let images = vec![within(0, cubin(80, 32)), within(1, cubin(80, 40)), within(1, ptx(80))];
        let merged = merge(&[("lib.so", images)]).unwrap();
        assert_eq!(merged.iter().map(|image| image.min_blocks_per_sm).collect::<Vec<_>>(), [None, Some(2), Some(2)]);
    }

    #[test]
    fn bounds_must_agree() {
        let bounds = Some(Bounds { max_threads: Some([256, 1, 1]), ..Bounds::default() });
        let sources = [("k.cubin", vec![cubin(80, 32)]), ("k.ptx", vec![KernelImage { bounds, ..ptx(80) }])];
        let error = merge(&sources).unwrap_err();
        assert_eq!(error.quantity, Quantity::MaxThreads);
        assert_eq!((&*error.one.1, &*error.other.1), ("none", "256 × 1 × 1"));
    }

    /// With two kernels of one name in a library, the log belongs to the one that it agrees with.
    #[test]
    fn duplicates_in_a_library() {
        let library = vec![cubin(80, 32), cubin(80, 40)];
        let merged = merge(&[("lib.so", library.clone()), ("k.log", vec![log(80, 40)])]).unwrap();
        assert_eq!(merged.iter().map(|image| image.spills.is_some()).collect::<Vec<_>>(), [false, true]);
        assert!(merge(&[("lib.so", library), ("k.log", vec![log(80, 41)])]).is_err());
    }

    #[test]
    fn numbers_after_linking_win() {
        let object = KernelImage { is_linked: false, min_blocks_per_sm: Some(3), ..cubin(75, 24) };
        let merged = merge(&[("k.o", vec![object]), ("k", vec![cubin(75, 62)])]).unwrap();
        assert_eq!((merged.len(), merged[0].registers, merged[0].is_linked), (1, Some(62), true));
        assert_eq!(merged[0].min_blocks_per_sm, Some(3));
    }

    #[test]
    fn text_without_a_target() {
        let text = KernelImage { registers: Some(32), ..image(Format::ResourceUsage, None) };
        let merged = merge(&[("k.txt", vec![text.clone()]), ("k.cubin", vec![cubin(80, 32)])]).unwrap();
        assert_eq!(merged.len(), 1);
        let two = vec![cubin(80, 32), cubin(86, 33)];
        assert_eq!(merge(&[("k.txt", vec![text]), ("k.so", two)]).unwrap().len(), 3);
        let stale = KernelImage { registers: Some(31), ..image(Format::ResourceUsage, None) };
        assert!(merge(&[("k.txt", vec![stale]), ("k.cubin", vec![cubin(80, 32)])]).is_err());
    }

    /// Texts of 12.4 and 12.5 do not include called functions in the stack.
    #[test]
    fn the_larger_stack() {
        let stack = |image, stack| KernelImage { stack: Some(stack), ..image };
        let sources = |one, other| [("k.cubin", vec![one]), ("k.log", vec![other])];
        let merged =
            merge(&sources(stack(cubin(75, 9), Stack::Bytes(152)), stack(log(75, 9), Stack::Bytes(0)))).unwrap();
        assert_eq!(merged[0].stack, Some(Stack::Bytes(152)));
        let merged =
            merge(&sources(stack(cubin(75, 9), Stack::Bytes(0)), stack(log(75, 9), Stack::Unbounded))).unwrap();
        assert_eq!(merged[0].stack, Some(Stack::Unbounded));
    }

    /// A cubin outside of a fatbin does not tell `sm_100f` from `sm_100`.
    #[test]
    fn a_cubin_can_be_for_a_family() {
        let mut family = log(100, 32);
        family.target = family.target.map(|target| CodeTarget { portability: Portability::Family, ..target });
        let merged = merge(&[("k.cubin", vec![cubin(100, 32)]), ("k.log", vec![family.clone()])]).unwrap();
        assert_eq!((merged.len(), merged[0].target), (1, family.target));
        let both = vec![family, log(100, 32)];
        let merged = merge(&[("k.log", both), ("k.cubin", vec![cubin(100, 32)])]).unwrap();
        assert_eq!(merged.len(), 2);
        assert_eq!(merged[0].bounds, None);
    }
}

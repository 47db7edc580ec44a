//! Which image of the kernel each capability would run.

use super::Artifact;
use crate::config::CompiledKernel;
use crate::diagnostics::Ends;
use occ_artifacts::{
    Bounds, Code, CodeTarget, Contradiction, KernelImage, NameError, Stack, TargetError, TensorMemory,
};
use occ_core::{Arch, Compiled, Kernel, LaunchBounds};

/// Why no kernel was chosen.
pub(crate) struct NotChosen {
    pub(crate) text: String,
    /// Lines that say themselves whether they are a note or a help.
    pub(crate) lines: Vec<String>,
    /// The file it is about; without it the kernel's name is.
    pub(crate) ends: Option<Ends>,
}

/// The image of `kernel` for each of `archs`, with what all files know of it.
pub(crate) fn choose(
    files: &[(Artifact, Ends)],
    kernel: &str,
    archs: &[Arch],
) -> Result<Vec<CompiledKernel>, NotChosen> {
    let found = find(files, kernel)?;
    let sources: Vec<(&str, Vec<KernelImage>)> =
        found.iter().map(|(artifact, _, images)| (artifact.name.as_str(), images.clone())).collect();
    let merged =
        occ_artifacts::merge(&sources).map_err(|contradiction| contradicting(&found, kernel, &contradiction))?;
    let images: Vec<&KernelImage> = merged.iter().collect();
    let mut compiled = Vec::new();
    let mut without_code = Vec::new();
    for &arch in archs {
        match occ_artifacts::on(&images, arch) {
            Ok(image) => {
                let (file, ends) = file_of(&found, image);
                compiled.push(compiled_kernel(image, arch, kernel, file, ends)?);
            }
            Err(TargetError::None { .. }) => without_code.push(arch),
            Err(error) => {
                let ends = found.first().map(|(_, ends, _)| *ends);
                return Err(NotChosen { text: error.to_string(), lines: Vec::new(), ends });
            }
        }
    }
    if without_code.is_empty() { Ok(compiled) } else { Err(no_code(&found, kernel, &without_code, &images)) }
}

/// Two files say something different: the later one is pointed at.
fn contradicting(found: &Found<'_>, kernel: &str, contradiction: &Contradiction) -> NotChosen {
    let Contradiction { target, quantity, one, other, .. } = contradiction;
    let target = target.map_or(String::new(), |target| format!(" for {target}"));
    let text =
        format!("the {quantity} of `{kernel}`{target} are {} in {}, but {} in {}", one.1, one.0, other.1, other.0);
    let lines = vec!["help: one of the files is stale, take both from the same build".to_owned()];
    let ends = found.iter().find(|(artifact, _, _)| *artifact.name == *other.0).map(|(_, ends, _)| *ends);
    NotChosen { text, lines, ends }
}

type Found<'a> = Vec<(&'a Artifact, Ends, Vec<KernelImage>)>;

/// The kernel's images in each file that has it.
fn find<'a>(files: &'a [(Artifact, Ends)], kernel: &str) -> Result<Found<'a>, NotChosen> {
    let mut found = Vec::new();
    let mut missing = None;
    for (artifact, ends) in files {
        match artifact.find(kernel) {
            Ok(images) => found.push((artifact, *ends, images)),
            Err(error @ NameError::Ambiguous { .. }) => {
                let NameError::Ambiguous { candidates, total, .. } = &error else { continue };
                let text = format!("`{kernel}` means {total} kernels in {}", artifact.name);
                let listed = candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let more = if *total > listed.len() { ", .." } else { "" };
                let lines = vec![
                    format!("note: they are {}{more}", listed.join(", ")),
                    format!("help: write the whole name, as in `kernel = {:?}`", candidates.first().map_or("", |n| n)),
                ];
                return Err(NotChosen { text, lines, ends: None });
            }
            Err(NameError::Missing { nearest, total, .. }) => {
                missing.get_or_insert((nearest, total));
            }
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = files.iter().map(|(artifact, _)| artifact.name.as_str()).collect();
    let (nearest, total) = missing.unwrap_or_default();
    let text = format!("there is no kernel `{kernel}` in {}", names.join(", "));
    let lines = match (total, &nearest[..]) {
        (0, _) => vec!["note: there is no kernel at all".to_owned()],
        (_, []) => vec![format!("note: there are {total} others")],
        (_, [nearest]) => vec![format!("help: did you mean `{nearest}`?")],
        (_, nearest) => {
            let listed = nearest.iter().map(|name| format!("`{name}`"));
            vec![format!("help: the nearest are {}", listed.collect::<Vec<_>>().join(", "))]
        }
    };
    Err(NotChosen { text, lines, ends: None })
}

/// The file that an image is mostly from: the one with its machine code, else the first that knows the target.
fn file_of<'a>(found: &Found<'a>, image: &KernelImage) -> (&'a Artifact, Ends) {
    let has = |one: &KernelImage| one.name == image.name && one.target == image.target;
    let exact = found.iter().find(|(_, _, images)| images.iter().any(|one| has(one) && one.origin == image.origin));
    let any = || found.iter().find(|(_, _, images)| images.iter().any(has));
    let (artifact, ends, _) = exact.or_else(any).unwrap_or(&found[0]);
    (artifact, *ends)
}

fn compiled_kernel(
    image: &KernelImage,
    arch: Arch,
    kernel: &str,
    file: &Artifact,
    ends: Ends,
) -> Result<CompiledKernel, NotChosen> {
    let target = image.target.map_or(String::new(), |target| format!(", {target}"));
    let source = format!("`{kernel}` in {}{target}", file.name);
    if image.registers.is_none() {
        let text = format!("{source} does not tell registers");
        return Err(NotChosen { text, lines: Vec::new(), ends: Some(ends) });
    }
    let bounds = image.bounds.unwrap_or_default();
    let uses_tensor_memory = matches!(image.tensor_memory, Some(TensorMemory::OneBlock | TensorMemory::TwoBlocks));
    let resources = Kernel {
        registers: image.registers,
        static_smem: image.static_smem.unwrap_or(0),
        barriers: image.barriers.unwrap_or(1),
        virtual_resources: if uses_tensor_memory { TENSOR_MEMORY_PERMIT } else { 0 },
        max_threads: bounds.max_threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
        bounds: launch_bounds(&bounds),
        ..Kernel::new()
    };
    Ok(CompiledKernel {
        arch,
        kernel: resources,
        stack: image.stack.map(|stack| match stack {
            Stack::Bytes(bytes) => bytes,
            Stack::Unbounded => Compiled::UNBOUNDED,
        }),
        spills: image.spills.map(|spills| spills.stores.saturating_add(spills.loads)),
        min_blocks_per_sm: image.min_blocks_per_sm,
        knows_smem: image.static_smem.is_some(),
        knows_barriers: image.barriers.is_some(),
        is_linked: image.is_linked,
        source,
        ends,
    })
}

/// What a block takes of the SM's virtual resources to allocate tensor memory: all of them.
const TENSOR_MEMORY_PERMIT: u32 = 128;

fn launch_bounds(bounds: &Bounds) -> Option<LaunchBounds> {
    let bounds = LaunchBounds {
        required_block: bounds.required_block,
        required_cluster: bounds.cluster.required,
        max_cluster_blocks: bounds.cluster.max_blocks,
        grid_counts_clusters: bounds.cluster.blocks_are_clusters,
    };
    (bounds != LaunchBounds::new()).then_some(bounds)
}

/// No image runs on some capabilities: what there is instead.
fn no_code(found: &Found<'_>, kernel: &str, archs: &[Arch], images: &[&KernelImage]) -> NotChosen {
    let names: Vec<&str> = found.iter().map(|(artifact, _, _)| artifact.name.as_str()).collect();
    let text = format!("`{kernel}` in {} has no code for {}", names.join(", "), listed(archs.iter()));
    let mut targets: Vec<CodeTarget> = images.iter().filter_map(|image| image.target).collect();
    targets.sort_by_key(|target| (target.number, target.to_string()));
    targets.dedup();
    let (binary, ptx): (Vec<CodeTarget>, Vec<CodeTarget>) =
        targets.into_iter().partition(|target| target.code == Code::Binary);
    let mut lines = Vec::new();
    if !binary.is_empty() {
        lines.push(format!("note: it has code for {}", listed(binary.iter())));
    }
    if !ptx.is_empty() {
        let ptx = listed(ptx.iter());
        lines.push(format!("note: its PTX ({ptx}) is compiled by the driver: its registers are not known before"));
    }
    let first = archs.first().map_or("", |arch| arch.name());
    let number = first.trim_start_matches("sm_");
    lines.push(format!(
        "help: compile it for {first} (`-gencode arch=compute_{number},code=sm_{number}`), or declare only what it \
         runs on"
    ));
    NotChosen { text, lines, ends: found.first().map(|(_, ends, _)| *ends) }
}

/// `a, b and c`.
fn listed<T: ToString>(items: impl Iterator<Item = T>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    match &items[..] {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

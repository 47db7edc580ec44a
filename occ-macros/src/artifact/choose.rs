//! Which image of the kernel each capability would run.

use super::Artifact;
use crate::config::{CompiledKernel, NotChosen};
use crate::diagnostics::Ends;
use occ_artifacts::{Code, CodeTarget, Contradiction, KernelImage, NameError, Stack, TargetError};
use occ_core::{Arch, Compiled};

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
        match occ_artifacts::select_image(&images, arch) {
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
    let mut found: Found<'a> = Vec::new();
    let mut near: Vec<String> = Vec::new();
    let mut others = 0;
    for (artifact, ends) in files {
        match artifact.find(kernel) {
            Ok(images) => found.push((artifact, *ends, images)),
            Err(NameError::Ambiguous { candidates, total, .. }) => {
                return Err(ambiguous(kernel, &artifact.name, &candidates, total));
            }
            Err(NameError::Missing { nearest, total, .. }) => {
                near.extend(nearest.into_iter().filter(|name| !near.contains(name)).collect::<Vec<_>>());
                others += total;
            }
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for name in found.iter().filter_map(|(_, _, images)| Some(&*images.first()?.name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.len() > 1 && !names.iter().all(|name| is_of_one_file(name)) {
        let candidates: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        return Err(ambiguous(
            kernel,
            &listed(found.iter().map(|(artifact, ..)| &artifact.name)),
            &candidates,
            names.len(),
        ));
    }
    if found.is_empty() { Err(missing(files, kernel, &near, others)) } else { Ok(found) }
}

/// Whether a kernel is known in its own file only: its name has a hash in it that differs between builds.
fn is_of_one_file(name: &str) -> bool {
    name.contains("_GLOBAL__N_") || name.starts_with("__nv_static_")
}

fn ambiguous(kernel: &str, file: &str, candidates: &[String], total: usize) -> NotChosen {
    let listed = candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    let more = if total > listed.len() { ", .." } else { "" };
    let lines = vec![
        format!("note: they are {}{more}", listed.join(", ")),
        format!("help: write the whole name, as in `kernel = {:?}`", candidates.first().map_or("", |name| name)),
    ];
    NotChosen { text: format!("`{kernel}` means {total} kernels in {file}"), lines, ends: None }
}

fn missing(files: &[(Artifact, Ends)], kernel: &str, near: &[String], others: usize) -> NotChosen {
    let text = format!("there is no kernel `{kernel}` in {}", listed(files.iter().map(|(artifact, _)| &artifact.name)));
    let mut lines = Vec::new();
    if kernel.contains(['<', '(']) && !cfg!(feature = "containers") {
        lines.push("note: names with `<` and `(` need the feature `containers` of `occ-runtime`".to_owned());
    }
    lines.push(match (others, near) {
        (0, _) => "note: there is no kernel at all".to_owned(),
        (1, []) => "note: there is another one".to_owned(),
        (_, []) => format!("note: there are {others} others"),
        (_, [nearest]) => format!("help: did you mean `{nearest}`?"),
        (_, nearest) => {
            let listed = nearest.iter().map(|name| format!("`{name}`"));
            format!("help: the nearest are {}", listed.collect::<Vec<_>>().join(", "))
        }
    });
    NotChosen { text, lines, ends: None }
}

/// The file that an image is mostly from: the one with its machine code, else the first that knows the target.
fn file_of<'a>(found: &Found<'a>, image: &KernelImage) -> (&'a Artifact, Ends) {
    let is_it = |one: &KernelImage| one.name == image.name && one.origin == image.origin;
    let is_like_it = |one: &KernelImage| one.name == image.name && one.target == image.target;
    let exact = found.iter().find(|(_, _, images)| images.iter().any(|one| is_it(one) && is_like_it(one)));
    let same_place = || found.iter().find(|(_, _, images)| images.iter().any(is_it));
    let any = || found.iter().find(|(_, _, images)| images.iter().any(is_like_it));
    let (artifact, ends, _) = exact.or_else(same_place).or_else(any).unwrap_or(&found[0]);
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
    if image.registers.is_none_or(|registers| registers == 0) {
        let text = format!("{source} does not tell registers");
        return Err(NotChosen { text, lines: Vec::new(), ends: Some(ends) });
    }
    // The compiler reckons with the capability that the code is for, and not with later ones that run it.
    let is_own = image.target.and_then(CodeTarget::known).is_some_and(|target| target.arch() == arch);
    Ok(CompiledKernel {
        arch,
        kernel: image.kernel(),
        stack: image.stack.map(|stack| match stack {
            Stack::Bytes(bytes) => bytes,
            Stack::Unbounded => Compiled::UNBOUNDED,
        }),
        spills: image.spills.map(|spills| spills.stores.saturating_add(spills.loads)),
        min_blocks_per_sm: image.min_blocks_per_sm.filter(|_| is_own),
        knows_smem: image.static_smem.is_some(),
        knows_barriers: image.barriers.is_some(),
        is_linked: image.is_linked,
        source,
        ends,
    })
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
    if binary.is_empty() && !ptx.is_empty() {
        lines.push("help: name a cubin too, or leave `cubin` out and declare `max_registers`".to_owned());
    } else {
        let first = archs.first().map_or("", |arch| arch.name());
        let number = first.trim_start_matches("sm_");
        let each = if archs.len() > 1 { ", and so on" } else { "" };
        lines.push(format!(
            "help: compile it for {first} (`-gencode arch=compute_{number},code=sm_{number}`){each}, or declare only \
             what it runs on"
        ));
    }
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

//! Which image of the kernel runs on each compute capability.

use super::file::Artifact;
use crate::compiled_kernel::{CompiledKernel, WantedKernel};
use crate::diagnostics::{Diagnostic, TokenRange};
use crate::keys::Key;
use crate::messages::{self, list};
use occ_artifacts::{Code, CodeTarget, Contradiction, KernelImage, NameError, TargetError};
use occ_core::Arch;

/// A file that has the kernel, where it is named, and the kernel's images in it.
type Found<'a> = (&'a Artifact, TokenRange, Vec<KernelImage>);

/// Returns the kernel for each of `archs`, with what all files record of it.
pub(crate) fn choose(
    files: &[(Artifact, TokenRange)],
    wanted: &WantedKernel,
    archs: &[Arch],
) -> Result<Vec<CompiledKernel>, Diagnostic> {
    let kernel = wanted.name.as_str();
    let found = find(files, kernel, wanted.range)
        .map_err(|error| if wanted.is_declared { error } else { error.note(messages::default_name()) })?;
    let [(_, first_range, _), ..] = &found[..] else {
        return Ok(Vec::new());
    };
    let sources: Vec<(&str, Vec<KernelImage>)> =
        found.iter().map(|(artifact, _, images)| (artifact.name.as_str(), images.clone())).collect();
    let merged = occ_artifacts::merge(&sources).map_err(|error| contradicting(&found, *first_range, kernel, &error))?;
    let images: Vec<&KernelImage> = merged.iter().collect();
    let mut compiled = Vec::new();
    let mut without_code = Vec::new();
    for &arch in archs {
        match occ_artifacts::select_image(&images, arch) {
            Ok(image) => compiled.push(compiled_kernel(image, arch, kernel, &found)?),
            Err(TargetError::None { .. }) => without_code.push(arch),
            Err(error) => return Err(Diagnostic::new(*first_range, error.to_string())),
        }
    }
    if without_code.is_empty() {
        return Ok(compiled);
    }
    let files = list(found.iter().map(|(artifact, ..)| &artifact.name));
    let mut targets: Vec<CodeTarget> = images.iter().filter_map(|image| image.target).collect();
    targets.sort_by_key(|target| (target.number, target.to_string()));
    targets.dedup();
    let (binary, ptx): (Vec<CodeTarget>, Vec<CodeTarget>) =
        targets.into_iter().partition(|target| target.code == Code::Binary);
    let mut error = messages::no_code(*first_range, kernel, files, list(&without_code));
    if !binary.is_empty() {
        error = error.note(messages::has_code(list(&binary)));
    }
    if !ptx.is_empty() {
        error = error.note(messages::has_ptx(list(&ptx)));
    }
    Err(error.help(if binary.is_empty() && !ptx.is_empty() {
        messages::add_cubin()
    } else {
        let arch = without_code[0].name();
        messages::compile_for(arch, arch.trim_start_matches("sm_"))
    }))
}

/// Reports two files that contradict each other, at the later one.
fn contradicting(found: &[Found<'_>], first: TokenRange, kernel: &str, contradiction: &Contradiction) -> Diagnostic {
    let Contradiction { target, quantity, one, other, .. } = contradiction;
    let kernel = match target {
        Some(target) => format!("`{kernel}` for {target}"),
        None => format!("`{kernel}`"),
    };
    let range = found.iter().find(|(artifact, ..)| *artifact.name == *other.0).map_or(first, |(_, range, _)| *range);
    messages::contradicting_files(range, kernel, quantity.name(), &one.0, &one.1, &other.0, &other.1)
}

/// Returns the files that have the kernel, with its images.
fn find<'a>(files: &'a [(Artifact, TokenRange)], kernel: &str, at: TokenRange) -> Result<Vec<Found<'a>>, Diagnostic> {
    let mut found: Vec<Found<'a>> = Vec::new();
    let mut nearest: Vec<String> = Vec::new();
    let mut others = 0;
    for (artifact, range) in files {
        match artifact.find(kernel) {
            Ok(images) => found.push((artifact, *range, images)),
            Err(NameError::Ambiguous { candidates, total, .. }) => {
                return Err(ambiguous(at, kernel, &artifact.name, &candidates, total));
            }
            Err(NameError::Missing { nearest: names, total, .. }) => {
                for name in names {
                    if !nearest.contains(&name) {
                        nearest.push(name);
                    }
                }
                others += total;
            }
        }
    }
    if found.is_empty() {
        let mut error = messages::no_kernel(at, kernel, list(files.iter().map(|(artifact, _)| &artifact.name)));
        if kernel.contains(['<', '(']) && !cfg!(feature = "containers") {
            error = error.note(messages::demangled_needs_containers());
        }
        return Err(match &nearest[..] {
            [] => error.note(messages::other_kernels(others)),
            [nearest] => error.help(messages::did_you_mean(nearest)),
            nearest => error.help(messages::nearest_kernels(messages::names(nearest))),
        });
    }
    let mut names: Vec<String> = Vec::new();
    for name in found.iter().filter_map(|(_, _, images)| Some(&*images.first()?.name)) {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    if names.len() > 1 && !names.iter().all(|name| is_of_one_file(name)) {
        let files = list(found.iter().map(|(artifact, ..)| &artifact.name));
        return Err(ambiguous(at, kernel, &files, &names, names.len()));
    }
    Ok(found)
}

fn ambiguous(at: TokenRange, kernel: &str, files: &str, candidates: &[String], total: usize) -> Diagnostic {
    let more = (total > candidates.len()).then(|| "..".to_owned());
    let listed = list(candidates.iter().map(|name| format!("`{name}`")).chain(more));
    let first = candidates.first().map(|name| format!("{name:?}")).unwrap_or_default();
    messages::ambiguous_kernel(at, kernel, total, files, listed, first)
}

/// Returns whether a kernel's name contains a hash that differs between builds, so that only its own file has it.
fn is_of_one_file(name: &str) -> bool {
    name.contains("_GLOBAL__N_") || name.starts_with("__nv_static_")
}

/// Returns the file that most of an image is from: the one with its machine code, else the first that has its target.
fn file_of<'f, 'a>(found: &'f [Found<'a>], image: &KernelImage) -> Option<&'f Found<'a>> {
    let has_origin = |one: &KernelImage| one.name == image.name && one.origin == image.origin;
    let has_target = |one: &KernelImage| one.name == image.name && one.target == image.target;
    let any = |is_it: &dyn Fn(&KernelImage) -> bool| found.iter().find(|(_, _, images)| images.iter().any(is_it));
    any(&|one| has_origin(one) && has_target(one)).or_else(|| any(&has_origin)).or_else(|| any(&has_target))
}

fn compiled_kernel(
    image: &KernelImage,
    arch: Arch,
    kernel: &str,
    found: &[Found<'_>],
) -> Result<CompiledKernel, Diagnostic> {
    let (file, range, _) = file_of(found, image).unwrap_or(&found[0]);
    let target = image.target.map_or(String::new(), |target| format!(", {target}"));
    let source = format!("`{kernel}` in {}{target}", file.name);
    if image.registers.is_none_or(|registers| registers == 0) {
        return Err(messages::no_registers(*range, &source));
    }
    let unrecorded = [
        (Key::StaticSmem, image.static_smem.is_none()),
        (Key::Barriers, image.barriers.is_none()),
        (Key::MaxStack, image.stack.is_none()),
        (Key::MaxSpills, image.spills.is_none()),
    ];
    Ok(CompiledKernel {
        numbers: image.compiled(arch, ""),
        source,
        range: *range,
        unrecorded: unrecorded.into_iter().filter_map(|(key, is_missing)| is_missing.then_some(key)).collect(),
        is_linked: image.is_linked,
    })
}

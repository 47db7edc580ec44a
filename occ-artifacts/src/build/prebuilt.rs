//! Prebuilt kernels, which are committed with their sources.

use crate::build::cargo;
use crate::build::compiled::{Artifact, Compiled, MadeBy};
use crate::build::compiler::Compilation;
use crate::build::error::Error;
use crate::build::language::Language;
use crate::build::package::{create_directory, read, write, write_if_different};
use crate::build::plan::Plan;
use crate::build::sources::{self, Sources};
use crate::origin::Format;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The reason why prebuilt kernels are used.
pub(crate) struct Reason {
    pub(crate) why: String,
    /// Whether the user requested them, so that no warning is needed.
    pub(crate) is_requested: bool,
    /// Whether they are used even if their sources have changed.
    pub(crate) accepts_stale: bool,
}

/// Copies the prebuilt kernels to the output directory.
pub(crate) fn copy(plan: &Plan<'_>, directory: &Path, reason: Reason) -> Result<Compiled, Error> {
    let Reason { why, is_requested, accepts_stale } = reason;
    let from = plan.package.resolve(directory);
    cargo::rerun_if_changed(&from);
    for source in &plan.sources {
        cargo::rerun_if_changed(&source.path);
    }
    let recorded = Sources::read(&from);
    if let Some(recorded) = &recorded {
        recorded.rerun_if_changed(&plan.package);
        let changed = recorded.changed(plan);
        if !changed.is_empty() && !accepts_stale {
            return Err(Error::StalePrebuilt { directory: directory.to_owned(), changed, why });
        }
        if !changed.is_empty() {
            cargo::warning(&format!(
                "the prebuilt kernels are stale; changed since they were compiled: {}",
                changed.join(", ")
            ));
        }
    }
    let expected = expected(plan);
    let is_missing = |file: &&Expected| file.is_required && !from.join(&file.name).is_file();
    let missing: Vec<String> = expected.iter().filter(is_missing).map(|file| file.name.clone()).collect();
    if !missing.is_empty() {
        return Err(Error::NoPrebuilt { directory: directory.to_owned(), missing, why });
    }
    let origin = match &recorded {
        Some(recorded) => format!(", compiled by CUDA {}", recorded.toolkit),
        None => format!(", which has no `{}` to tell whether they are stale", sources::FILE_NAME),
    };
    if !is_requested {
        cargo::warning(&format!("using the prebuilt kernels of `{}`{origin}; {why}", directory.display()));
    }

    plan.remove_outputs();
    let mut artifacts = Vec::new();
    for file in expected {
        let path = from.join(&file.name);
        if path.is_file() {
            let output = plan.package.out.join(&file.name);
            write(&output, &read(&path)?)?;
            artifacts.push(Artifact { path: output, ..file.artifact });
        }
    }
    Ok(Compiled { artifacts, made_by: MadeBy::Prebuilt })
}

/// Replaces the prebuilt kernels with the files just compiled.
pub(crate) fn update(plan: &Plan<'_>, directory: &Path, compilation: &Compilation) -> Result<(), Error> {
    let to = plan.package.resolve(directory);
    create_directory(&to)?;
    let mut names = HashSet::new();
    for artifact in &compilation.compiled.artifacts {
        let Some(name) = artifact.path.file_name() else {
            continue;
        };
        names.insert(to.join(name));
        let bytes = read(&artifact.path)?;
        let bytes = if artifact.format == Format::CompilerLog { without_times(&bytes) } else { bytes };
        write_if_different(&to.join(name), &bytes)?;
    }
    for old in plan.files_in(&to).into_iter().filter(|file| !names.contains(file)) {
        fs::remove_file(&old).map_err(|error| Error::file("remove", &old, &error))?;
    }
    let sources = Sources::current(plan, &compilation.version, &compilation.headers)?;
    write_if_different(&to.join(sources::FILE_NAME), sources.text().as_bytes())
}

/// Warns that builds without a toolkit would use outdated kernels.
pub(crate) fn warn_if_stale(plan: &Plan<'_>, directory: &Path) {
    let from = plan.package.resolve(directory);
    let directory = directory.display();
    let Some(recorded) = Sources::read(&from) else {
        if !from.is_dir() {
            cargo::warning(&format!(
                "no prebuilt kernels in `{directory}`; run `OCC_UPDATE_PREBUILT=1 cargo build` to create them"
            ));
        }
        return;
    };
    cargo::rerun_if_changed(&from.join(sources::FILE_NAME));
    let changed = recorded.changed(plan).join(", ");
    if !changed.is_empty() {
        cargo::warning(&format!(
            "stale prebuilt kernels in `{directory}` ({changed}); run `OCC_UPDATE_PREBUILT=1 cargo build` to update them"
        ));
    }
}

/// A file of a prebuilt directory.
struct Expected {
    name: String,
    is_required: bool,
    /// The output file, without its path.
    artifact: Artifact,
}

fn expected(plan: &Plan<'_>) -> Vec<Expected> {
    let mut expected = Vec::new();
    for source in &plan.sources {
        let mut add = |name, format, target, is_required| {
            let artifact = Artifact { path: PathBuf::new(), format, source: source.path.clone(), target };
            expected.push(Expected { name, is_required, artifact });
        };
        for arch in &plan.archs {
            add(Plan::file_name(source, arch, "cubin"), Format::Cubin, arch.target, true);
            add(Plan::file_name(source, arch, "log"), Format::CompilerLog, arch.target, false);
        }
        if source.language == Language::Cuda {
            add(Plan::ptx_name(source), Format::Ptx, plan.ptx.target, false);
        }
    }
    expected
}

/// Removes compile times from a log, which differ in every run.
fn without_times(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(log);
    let lines = text.lines().filter(|line| !line.contains("Compile time ="));
    lines.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
}

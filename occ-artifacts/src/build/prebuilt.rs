//! Kernels that were compiled before, and are committed with their sources.

use crate::build::cargo;
use crate::build::compiler::Made;
use crate::build::error::Error;
use crate::build::language::Language;
use crate::build::made::{Artifact, Compiled, MadeBy};
use crate::build::package::{create_directory, read, write, write_if_different};
use crate::build::plan::Plan;
use crate::build::sources::{self, Sources};
use crate::origin::Format;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Why prebuilt kernels are used.
pub(crate) struct Reason {
    pub(crate) why: String,
    /// Whether somebody asked for them, who need not be told.
    pub(crate) is_asked: bool,
    /// Whether they are taken though their sources have changed.
    pub(crate) accepts_stale: bool,
}

/// Puts prebuilt kernels where compiled ones would be.
pub(crate) fn take(plan: &Plan<'_>, directory: &Path, reason: Reason) -> Result<Compiled, Error> {
    let Reason { why, is_asked, accepts_stale } = reason;
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
    let is_missing = |file: &&Expected| file.is_needed && !from.join(&file.name).is_file();
    let missing: Vec<String> = expected.iter().filter(is_missing).map(|file| file.name.clone()).collect();
    if !missing.is_empty() {
        return Err(Error::NoPrebuilt { directory: directory.to_owned(), missing, why });
    }
    let made = match &recorded {
        Some(recorded) => format!(", compiled by CUDA {}", recorded.toolkit),
        None => format!(", which has no `{}` to tell whether they are stale", sources::FILE_NAME),
    };
    if !is_asked {
        cargo::warning(&format!("using the prebuilt kernels of `{}`{made}; {why}", directory.display()));
    }

    plan.remove_old();
    let mut artifacts = Vec::new();
    for file in expected {
        let path = from.join(&file.name);
        if path.is_file() {
            let copy = plan.package.out.join(&file.name);
            write(&copy, &read(&path)?)?;
            artifacts.push(Artifact { path: copy, ..file.artifact });
        }
    }
    Ok(Compiled { artifacts, made_by: MadeBy::Prebuilt })
}

/// Makes the prebuilt kernels what was just compiled.
pub(crate) fn update(plan: &Plan<'_>, directory: &Path, made: &Made) -> Result<(), Error> {
    let to = plan.package.resolve(directory);
    create_directory(&to)?;
    let mut names = HashSet::new();
    for artifact in &made.compiled.artifacts {
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
    let sources = Sources::now(plan, &made.version, &made.headers)?;
    write_if_different(&to.join(sources::FILE_NAME), sources.text().as_bytes())
}

/// Whoever has a toolkit is told that the others would get old kernels.
pub(crate) fn warn_if_stale(plan: &Plan<'_>, directory: &Path) {
    let from = plan.package.resolve(directory);
    let changed = match Sources::read(&from) {
        Some(recorded) => {
            cargo::rerun_if_changed(&from.join(sources::FILE_NAME));
            recorded.changed(plan)
        }
        None if from.is_dir() => return,
        None => vec!["there are none yet".to_owned()],
    };
    if !changed.is_empty() {
        let (directory, changed) = (directory.display(), changed.join(", "));
        cargo::warning(&format!(
            "stale prebuilt kernels in `{directory}` ({changed}); run `OCC_UPDATE_PREBUILT=1 cargo build` to make them again"
        ));
    }
}

/// One file a prebuilt directory may have.
struct Expected {
    name: String,
    is_needed: bool,
    /// Its path is not known yet.
    artifact: Artifact,
}

fn expected(plan: &Plan<'_>) -> Vec<Expected> {
    let mut expected = Vec::new();
    for source in &plan.sources {
        let mut add = |name, format, target, is_needed| {
            let artifact = Artifact { path: PathBuf::new(), format, source: source.path.clone(), target };
            expected.push(Expected { name, is_needed, artifact });
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

/// A compiler's log without how long it took, which is different each time.
fn without_times(log: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(log);
    let lines = text.lines().filter(|line| !line.contains("Compile time ="));
    lines.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
}

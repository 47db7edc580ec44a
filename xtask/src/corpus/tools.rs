//! Installs and runs NVIDIA's tools.

use crate::{Result, nvidia};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) struct Tools {
    /// The directory of the programs of toolkit 13.5.
    toolkit: PathBuf,
    pub(crate) ptxas: Vec<Ptxas>,
    /// NVIDIA's libraries, with their names.
    pub(crate) libraries: Vec<(&'static str, PathBuf)>,
    /// The directory for temporary files.
    pub(crate) scratch: PathBuf,
}

/// A `ptxas`.
pub(crate) struct Ptxas {
    pub(crate) version: Version,
    /// The newest PTX version that it supports.
    pub(crate) isa: Version,
    pub(crate) program: PathBuf,
    /// The targets that it supports, such as `sm_90a`.
    pub(crate) targets: Vec<String>,
}

/// A major and a minor version.
pub(crate) type Version = (u32, u32);

/// Each version differs from the others in its log or its cubins.
const PTXAS: [(Version, Version, &str); 8] = [
    ((12, 0), (8, 0), "ptxas-12.0.140/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 2), (8, 2), "ptxas-12.2.140/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 4), (8, 4), "ptxas-12.4.131/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 5), (8, 5), "ptxas-12.5.82/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 6), (8, 5), "ptxas-12.6.20/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 8), (8, 7), "ptxas-12.8.93/nvidia/cuda_nvcc/bin/ptxas"),
    ((12, 9), (8, 8), "ptxas-12.9.86/nvidia/cuda_nvcc/bin/ptxas"),
    ((13, 5), (9, 5), "toolkit/nvidia/cu13/bin/ptxas"),
];

impl Tools {
    pub(crate) fn install() -> Result<Tools> {
        let root = nvidia::install_corpus()?;
        let scratch = root.join("scratch");
        if scratch.exists() {
            fs::remove_dir_all(&scratch)?;
        }
        fs::create_dir_all(&scratch)?;
        let mut ptxas = Vec::new();
        for (version, isa, program) in PTXAS {
            let program = root.join(program);
            let targets = targets(&program)?;
            ptxas.push(Ptxas { version, isa, program, targets });
        }
        Ok(Tools {
            toolkit: root.join("toolkit/nvidia/cu13/bin"),
            ptxas,
            libraries: vec![
                ("curand of 13.5", root.join("curand-13.5/nvidia/cu13/lib/libcurand.so.10")),
                ("curand of 12.9", root.join("curand-12.9/nvidia/curand/lib/libcurand.so.10")),
            ],
            scratch,
        })
    }

    /// Returns a command for a program of toolkit 13.5.
    pub(crate) fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.toolkit.join(name));
        command.current_dir(&self.scratch);
        if let Some(compiler) = env::var_os("CXX") {
            command.env("NVCC_CCBIN", compiler);
        }
        command
    }

    /// Returns the output of `cuobjdump`; `None` if it rejects the file.
    pub(crate) fn cuobjdump<I: AsRef<OsStr>>(&self, options: &[I], file: &Path) -> Result<Option<String>> {
        let output = self.program("cuobjdump").args(options).arg(file).output()?;
        let is_refused = contains(&output, "does not contain device code") || !output.status.success();
        Ok((!is_refused).then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
    }

    /// Runs `cuobjdump -elf` and streams its output to `read`: it can be far larger than the file.
    pub(crate) fn cuobjdump_elf<T>(
        &self,
        options: &[&str],
        file: &Path,
        read: impl FnOnce(std::process::ChildStdout) -> std::io::Result<T>,
    ) -> Result<T> {
        let mut command = self.program("cuobjdump");
        command.args(options).arg("-elf").arg(file).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().ok_or("cuobjdump has no output")?;
        let read = read(stdout)?;
        child.wait()?;
        Ok(read)
    }
}

/// Runs a command that must succeed, and returns its standard error.
pub(crate) fn stderr_of(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(stderr) } else { Err(format!("{command:?} failed: {stderr}").into()) }
}

fn contains(output: &Output, what: &str) -> bool {
    [&output.stdout, &output.stderr].into_iter().any(|text| String::from_utf8_lossy(text).contains(what))
}

/// Returns the targets in the help of a `ptxas`.
fn targets(ptxas: &Path) -> Result<Vec<String>> {
    let output = Command::new(ptxas)
        .arg("--help")
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", ptxas.display()))?;
    let help = String::from_utf8_lossy(&output.stdout);
    let mut targets: Vec<_> = help.split('\'').filter(|word| capability(word).is_some()).map(str::to_owned).collect();
    targets.sort();
    targets.dedup();
    if targets.is_empty() { Err(format!("{} lists no target", ptxas.display()).into()) } else { Ok(targets) }
}

/// Returns the capability and the suffix of a target: 90 and `a` for `sm_90a`.
pub(crate) fn capability(target: &str) -> Option<(u32, &str)> {
    let name = target.strip_prefix("sm_")?;
    let digits = name.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(name.len());
    let (number, suffix) = name.split_at(digits);
    matches!(suffix, "" | "a" | "f").then_some(())?;
    Some((number.parse().ok()?, suffix))
}

//! Runs `nvcc` and `ptxas`.

use crate::build::compiled::{Artifact, Compiled, MadeBy};
use crate::build::error::{Error, Refused};
use crate::build::language::Language;
use crate::build::plan::{Arch, Plan, Source};
use crate::build::toolkit::Toolkit;
use crate::build::{cargo, depfile, output, package};
use crate::origin::Format;
use crate::parallel;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, thread};

/// The result of compilation.
#[derive(Debug)]
pub(crate) struct Compilation {
    pub(crate) compiled: Compiled,
    /// The version of the toolkit.
    pub(crate) version: String,
    /// The headers that were included, without those of the toolkit.
    pub(crate) headers: Vec<PathBuf>,
}

/// One run of a compiler.
#[derive(Clone, Copy, Debug)]
enum Job<'p> {
    Cubin(&'p Source, &'p Arch),
    Ptx(&'p Source, &'p Arch),
}

/// The result of one run of a compiler.
struct JobResult {
    artifacts: Vec<Artifact>,
    headers: Vec<PathBuf>,
    /// The output of the compiler.
    output: String,
}

/// Compiles everything, and tells Cargo what it depends on.
pub(crate) fn compile(plan: &Plan<'_>, toolkit: &Toolkit) -> Result<Compilation, Error> {
    for source in &plan.sources {
        cargo::rerun_if_changed(&source.path);
    }
    if plan.needs().nvcc {
        // `nvcc` reads these variables.
        for name in ["NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
            cargo::variable(name);
        }
    }
    plan.remove_outputs();
    let compiler = Compiler { plan, toolkit };
    let runs = parallel::each(&jobs(plan), workers(), |job| compiler.run(*job))?;

    let (mut artifacts, mut headers, mut output) = (Vec::new(), BTreeSet::new(), String::new());
    for run in runs {
        artifacts.extend(run.artifacts);
        headers.extend(run.headers);
        output += &run.output;
    }
    headers.retain(|header| !toolkit.owns(&plan.package.resolve(header)));
    for header in &headers {
        cargo::rerun_if_changed(header);
    }
    for warning in output::warnings(&output) {
        cargo::warning(&warning);
    }
    let version = toolkit.version.clone();
    Ok(Compilation {
        compiled: Compiled { artifacts, made_by: MadeBy::Toolkit { version: version.clone() } },
        version,
        headers: headers.into_iter().collect(),
    })
}

/// Returns the maximum number of compilers that run at once.
fn workers() -> usize {
    let given = env::var("NUM_JOBS").ok().and_then(|number| number.parse().ok());
    given.filter(|&number| number > 0).unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
}

fn jobs<'p>(plan: &'p Plan<'_>) -> Vec<Job<'p>> {
    let of_source = |source: &'p Source| {
        let ptx = (source.language == Language::Cuda).then_some(Job::Ptx(source, &plan.ptx));
        plan.archs.iter().map(move |arch| Job::Cubin(source, arch)).chain(ptx)
    };
    plan.sources.iter().flat_map(of_source).collect()
}

struct Compiler<'p> {
    plan: &'p Plan<'p>,
    toolkit: &'p Toolkit,
}

impl Compiler<'_> {
    fn run(&self, job: Job<'_>) -> Result<JobResult, Error> {
        match job {
            Job::Cubin(source, arch) => self.cubin(source, arch),
            Job::Ptx(source, arch) => self.ptx(source, arch),
        }
    }

    fn cubin(&self, source: &Source, arch: &Arch) -> Result<JobResult, Error> {
        let out = |extension| self.plan.package.out.join(Plan::file_name(source, arch, extension));
        let (cubin, log, dependencies) = (out("cubin"), out("log"), out("d"));
        let mut command = match source.language {
            Language::Cuda => {
                let mut command = self.nvcc();
                command.args(["-cubin", "-Xptxas", "-v"]);
                for argument in &self.plan.kernels.ptxas_args {
                    command.arg("-Xptxas").arg(argument);
                }
                command.args(["-MD", "-MF"]).arg(&dependencies);
                command
            }
            Language::Ptx => {
                let mut command = Command::new(self.toolkit.ptxas());
                command.arg("-v").args(&self.plan.kernels.ptxas_args);
                command
            }
        };
        let output = self.compile(&mut command, source, arch, &cubin)?;
        package::write(&log, output.as_bytes())?;
        let headers = match source.language {
            Language::Cuda => {
                let text = package::read(&dependencies)?;
                depfile::prerequisites(&String::from_utf8_lossy(&text))
            }
            Language::Ptx => Vec::new(),
        };
        Ok(JobResult {
            artifacts: vec![
                artifact(source, arch, cubin, Format::Cubin),
                artifact(source, arch, log, Format::CompilerLog),
            ],
            headers: headers.into_iter().filter(|path| *path != source.path).collect(),
            output,
        })
    }

    fn ptx(&self, source: &Source, arch: &Arch) -> Result<JobResult, Error> {
        let ptx = self.plan.package.out.join(Plan::ptx_name(source));
        let output = self.compile(self.nvcc().arg("-ptx"), source, arch, &ptx)?;
        Ok(JobResult { artifacts: vec![artifact(source, arch, ptx, Format::Ptx)], headers: Vec::new(), output })
    }

    fn nvcc(&self) -> Command {
        let mut command = Command::new(self.toolkit.nvcc());
        command.args(self.plan.nvcc_options());
        command
    }

    /// Runs a compiler and returns its output.
    fn compile(&self, command: &mut Command, source: &Source, arch: &Arch, to: &Path) -> Result<String, Error> {
        command.arg(format!("-arch={}", arch.name)).arg("-o").arg(to).arg(&source.path);
        // Paths in the output files are then relative, and the same on every machine.
        command.current_dir(&self.plan.package.root);
        let result = command.output().map_err(|error| Error::file("run", Path::new(command.get_program()), &error))?;
        let mut output = String::from_utf8_lossy(&result.stderr).into_owned();
        output += &String::from_utf8_lossy(&result.stdout);
        if result.status.success() {
            return Ok(output);
        }
        if output.trim().is_empty() {
            output = result.status.to_string();
        }
        Err(Error::Refused(Box::new(Refused {
            source: source.path.clone(),
            arch: arch.name.clone(),
            version: self.toolkit.version.clone(),
            command: command_line(command),
            output,
            has_prebuilt: self.plan.kernels.prebuilt.is_some(),
        })))
    }
}

fn artifact(source: &Source, arch: &Arch, path: PathBuf, format: Format) -> Artifact {
    Artifact { path, format, source: source.path.clone(), target: arch.target }
}

/// Returns a command as it could be typed.
fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| match word.to_string_lossy() {
        word if word.contains([' ', '"', '\'', '$', ';', '&']) => format!("'{word}'"),
        word => word.into_owned(),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

//! Runs `nvcc` and `ptxas`.

use crate::build::error::{Error, Refused};
use crate::build::language::Language;
use crate::build::made::{Artifact, Compiled, MadeBy};
use crate::build::plan::{Arch, Plan, Source};
use crate::build::toolkit::Toolkit;
use crate::build::{cargo, depfile, package, said};
use crate::origin::Format;
use crate::parallel;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, thread};

/// What was compiled, and from which headers.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) compiled: Compiled,
    /// The toolkit's.
    pub(crate) version: String,
    /// Those that do not come with the toolkit.
    pub(crate) headers: Vec<PathBuf>,
}

/// One run of a compiler.
#[derive(Clone, Copy, Debug)]
enum Job<'p> {
    Cubin(&'p Source, &'p Arch),
    Ptx(&'p Source, &'p Arch),
}

/// What one run gave.
struct Done {
    artifacts: Vec<Artifact>,
    headers: Vec<PathBuf>,
    /// What the compiler said.
    said: String,
}

/// Compiles everything, and tells Cargo what it was compiled from.
pub(crate) fn compile(plan: &Plan<'_>, toolkit: &Toolkit) -> Result<Made, Error> {
    for source in &plan.sources {
        cargo::rerun_if_changed(&source.path);
    }
    if plan.needs().nvcc {
        // `nvcc` reads them itself.
        for name in ["NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
            cargo::variable(name);
        }
    }
    plan.remove_old();
    let compiler = Compiler { plan, toolkit };
    let runs = parallel::each(&jobs(plan), workers(), |job| compiler.run(*job))?;

    let (mut artifacts, mut headers, mut said) = (Vec::new(), BTreeSet::new(), String::new());
    for run in runs {
        artifacts.extend(run.artifacts);
        headers.extend(run.headers);
        said += &run.said;
    }
    headers.retain(|header| !toolkit.owns(&plan.package.resolve(header)));
    for header in &headers {
        cargo::rerun_if_changed(header);
    }
    for warning in said::warnings(&said) {
        cargo::warning(&warning);
    }
    let version = toolkit.version.clone();
    Ok(Made {
        compiled: Compiled { artifacts, made_by: MadeBy::Toolkit { version: version.clone() } },
        version,
        headers: headers.into_iter().collect(),
    })
}

/// How many compilers may run at once.
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
    fn run(&self, job: Job<'_>) -> Result<Done, Error> {
        match job {
            Job::Cubin(source, arch) => self.cubin(source, arch),
            Job::Ptx(source, arch) => self.ptx(source, arch),
        }
    }

    fn cubin(&self, source: &Source, arch: &Arch) -> Result<Done, Error> {
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
        let said = self.compile(&mut command, source, arch, &cubin)?;
        package::write(&log, said.as_bytes())?;
        let headers = match source.language {
            Language::Cuda => {
                let text = package::read(&dependencies)?;
                depfile::prerequisites(&String::from_utf8_lossy(&text))
            }
            Language::Ptx => Vec::new(),
        };
        Ok(Done {
            artifacts: vec![
                artifact(source, arch, cubin, Format::Cubin),
                artifact(source, arch, log, Format::CompilerLog),
            ],
            headers: headers.into_iter().filter(|path| *path != source.path).collect(),
            said,
        })
    }

    fn ptx(&self, source: &Source, arch: &Arch) -> Result<Done, Error> {
        let ptx = self.plan.package.out.join(Plan::ptx_name(source));
        let said = self.compile(self.nvcc().arg("-ptx"), source, arch, &ptx)?;
        Ok(Done { artifacts: vec![artifact(source, arch, ptx, Format::Ptx)], headers: Vec::new(), said })
    }

    fn nvcc(&self) -> Command {
        let mut command = Command::new(self.toolkit.nvcc());
        command.args(self.plan.nvcc_options());
        command
    }

    /// Runs a compiler to its end, and returns what it said.
    fn compile(&self, command: &mut Command, source: &Source, arch: &Arch, to: &Path) -> Result<String, Error> {
        command.arg(format!("-arch={}", arch.name)).arg("-o").arg(to).arg(&source.path);
        // Relative paths stay relative in what is made: it is then the same on every machine.
        command.current_dir(&self.plan.package.root);
        let output =
            command.output().map_err(|error| Error::file("start", Path::new(command.get_program()), &error))?;
        let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
        said += &String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            return Ok(said);
        }
        if said.trim().is_empty() {
            said = output.status.to_string();
        }
        Err(Error::Refused(Box::new(Refused {
            source: source.path.clone(),
            arch: arch.name.clone(),
            version: self.toolkit.version.clone(),
            command: words_of(command),
            said,
            has_prebuilt: self.plan.kernels.prebuilt.is_some(),
        })))
    }
}

fn artifact(source: &Source, arch: &Arch, path: PathBuf, format: Format) -> Artifact {
    Artifact { path, format, source: source.path.clone(), target: arch.target }
}

/// A command as it could be typed.
fn words_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| match word.to_string_lossy() {
        word if word.contains([' ', '"', '\'', '$', ';', '&']) => format!("'{word}'"),
        word => word.into_owned(),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

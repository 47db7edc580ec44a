//! Compares fatbins, host files and linked code of `nvcc` 13.5, and libraries of NVIDIA.

use super::compare::Case;
use super::compile::{check_log, read};
use super::tally::{Reader, Reference, Tally};
use super::tools::{Tools, stderr_of};
use super::{Job, cuobjdump, kernels, log};
use crate::Result;
use occ_artifacts::{Format, KernelImage, Problem};
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A file compiled by `nvcc`.
struct Build {
    /// The kind in the counts.
    kind: &'static str,
    name: &'static str,
    options: &'static [&'static str],
    sources: &'static [&'static str],
    /// Whether the numbers are the device linker's, which are not in the log of `ptxas`.
    is_linked: bool,
}

const TARGETS: [&str; 3] = ["sm_75", "sm_90a", "sm_100f"];

const BUILDS: [Build; 7] = [
    host("object.o", &["-c"], &["base.cu"]),
    host("debug.o", &["-c", "-G"], &["aligned.cu"]),
    host("lineinfo.o", &["-c", "-lineinfo"], &["aligned.cu"]),
    host("archive.a", &["-lib"], &["grid.cu", "aligned.cu"]),
    host("executable", &[], &["main.cu", "grid.cu", "aligned.cu"]),
    Build { kind: "objects for linking", ..host("linking.o", &["-c", "-rdc=true"], &["rdc_kernels.cu"]) },
    Build {
        is_linked: true,
        ..host(
            "linked",
            &["-rdc=true", "-Xnvlink", "-ignore-host-info"],
            &["main.cu", "rdc_kernels.cu", "rdc_functions.cu"],
        )
    },
];

const fn host(name: &'static str, options: &'static [&'static str], sources: &'static [&'static str]) -> Build {
    Build { kind: "host files", name, options, sources, is_linked: false }
}

/// Fatbins of the same code, with options of `fatbinary`.
const FATBINS: [(&str, &[&str]); 9] = [
    ("default", &[]),
    ("none", &["--compress-mode=none"]),
    ("speed", &["--compress-mode=speed"]),
    ("balance", &["--compress-mode=balance"]),
    ("size", &["--compress-mode=size"]),
    ("all", &["--compress-all"]),
    ("speed, all", &["--compress-mode=speed", "--compress-all"]),
    ("concatenated", &["--concat"]),
    ("concatenated, size", &["--concat", "--compress-mode=size"]),
];

/// The targets in these fatbins.
const IN_FATBINS: [&str; 5] = ["sm_75", "sm_80", "sm_90a", "sm_100f", "sm_120"];

/// The targets of the device linker.
const LINKED: [&str; 5] = ["sm_75", "sm_89", "sm_90a", "sm_100", "sm_120a"];

/// Returns all comparisons except those of single cubins.
pub(crate) fn jobs(tools: &Tools) -> Vec<Job<'_>> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for (name, path) in &tools.libraries {
        jobs.push(Box::new(move |tally| {
            let images = check_container(tools, name, path, tally)?;
            tally.images(&format!("shipped libraries: {name}"), images.len());
            Ok(())
        }));
    }
    jobs.push(Box::new(|tally| check_fatbins(tools, tally)));
    for build in &BUILDS {
        jobs.push(Box::new(move |tally| build.check(tools, tally)));
    }
    for (option, what) in [("-rdc=true", "linked by nvlink"), ("-dlto", "compiled when linked")] {
        for target in LINKED {
            jobs.push(Box::new(move |tally| check_linked(tools, option, what, target, tally)));
        }
    }
    jobs.push(Box::new(|tally| check_link_time_code(tools, tally)));
    jobs
}

impl Build {
    fn check(&self, tools: &Tools, tally: &mut Tally) -> Result<()> {
        let folder = folder(tools, self.name)?;
        let file = folder.join(self.name);
        let mut nvcc = tools.program("nvcc");
        nvcc.current_dir(&folder).args(self.options).args(["-Xptxas", "-v", "-o"]).arg(&file);
        for target in TARGETS {
            nvcc.arg("-gencode").arg(format!("arch={},code={target}", target.replace("sm_", "compute_")));
        }
        nvcc.args(["-gencode", "arch=compute_90,code=compute_90"]);
        let log = stderr_of(nvcc.args(self.sources.iter().map(|name| kernels::path(name))))?;
        let images = check_container(tools, self.name, &file, tally)?;
        if !self.is_linked {
            check_logs(self.name, &TARGETS, &images, &log, tally);
        }
        tally.images(self.kind, images.len());
        Ok(())
    }
}

/// Compares fatbins of the same code with all options of `fatbinary`.
fn check_fatbins(tools: &Tools, tally: &mut Tally) -> Result<()> {
    let folder = folder(tools, "fatbins")?;
    let mut log = String::new();
    let mut entries = Vec::new();
    for target in IN_FATBINS {
        let cubin = folder.join(format!("{target}.cubin"));
        let mut nvcc = tools.program("nvcc");
        nvcc.current_dir(&folder).args(["-cubin", "-Xptxas", "-v", "-arch", target, "-o"]).arg(&cubin);
        log += &stderr_of(nvcc.arg(kernels::path("base.cu")))?;
        entries.push(format!("--image3=kind=elf,sm={},file={}", target.trim_start_matches("sm_"), cubin.display()));
    }
    let ptx = folder.join("compute_90.ptx");
    let mut nvcc = tools.program("nvcc");
    nvcc.current_dir(&folder).args(["-ptx", "-arch", "compute_90", "-o"]).arg(&ptx);
    stderr_of(nvcc.arg(kernels::path("base.cu")))?;
    entries.push(format!("--image3=kind=ptx,sm=90,file={}", ptx.display()));
    for (name, options) in FATBINS {
        let file = folder.join(name);
        let mut fatbinary = tools.program("fatbinary");
        fatbinary.current_dir(&folder).arg("-64").args(options).args(&entries);
        stderr_of(fatbinary.arg("--create").arg(&file))?;
        let place = format!("fatbin {name}");
        let images = check_container(tools, &place, &file, tally)?;
        check_logs(&place, &IN_FATBINS, &images, &log, tally);
        tally.images("fatbins", images.len());
    }
    Ok(())
}

/// Compares the cubins of each target with the log of their compilation.
fn check_logs(place: &str, targets: &[&str], images: &[KernelImage], log: &str, tally: &mut Tally) {
    for target in targets {
        let of_target: Vec<_> = images
            .iter()
            .filter(|image| image.origin.format == Format::Cubin)
            .filter(|image| image.target.is_some_and(|found| found.to_string() == *target))
            .collect();
        let place = format!("{place} {target}");
        check_log(&Case { place: &place, toolkit: (13, 5), target }, &of_target, log, tally);
    }
}

/// Compares all cubins in a file with the output of `cuobjdump`, in file order.
fn check_container(tools: &Tools, name: &str, file: &Path, tally: &mut Tally) -> Result<Vec<KernelImage>> {
    let images = read(name, &fs::read(file)?, tally);
    let groups: Vec<_> = images
        .chunk_by(|left, right| left.origin == right.origin && left.target == right.target)
        .filter(|group| group.first().is_some_and(|image| image.origin.format == Format::Cubin))
        .collect();
    let usages = cuobjdump::usage(&tools.cuobjdump(&["-res-usage"], file)?.unwrap_or_default());
    let elves = tools.cuobjdump_elf(&[], file, |text| cuobjdump::elf(BufReader::new(text)))?;
    let what = (Reader::Binary, "cubins", Reference::CuobjdumpElf);
    tally.check(what, !elves.is_empty(), &usages.len(), &elves.len(), &name);
    let theirs: Vec<_> = usages.iter().zip(&elves).filter(|(_, elf)| !elf.entries.is_empty()).collect();
    tally.check(what, !theirs.is_empty(), &groups.len(), &theirs.len(), &name);
    for (group, (usage, elf)) in groups.iter().zip(theirs) {
        let target = format!("sm_{}", elf.arch);
        let place = format!("{name} {target}");
        let toolkit = (elf.toolkit / 10, elf.toolkit % 10);
        let case = Case { place: &place, toolkit, target: &target };
        let group: Vec<_> = group.iter().collect();
        for image in &group {
            let ours = image.target.map(|target| target.to_string());
            let what = (Reader::Binary, "target", Reference::CuobjdumpUsage);
            tally.check(what, true, &ours, &usage.arch, &format!("{place}: {}", image.name));
        }
        case.usage(&group, usage, tally);
        case.elf(&group, elf, tally);
    }
    let ptx = tools.cuobjdump(&["-ptx"], file)?.unwrap_or_default();
    let entries = ptx.lines().filter(|line| line.split_whitespace().any(|word| word == ".entry")).count();
    let from_ptx = images.iter().filter(|image| image.origin.format == Format::Ptx).count();
    let what = (Reader::Ptx, "entries", Reference::CuobjdumpUsage);
    tally.check(what, entries > 0, &from_ptx, &entries, &name);
    Ok(images)
}

/// Compares the cubin that the device linker makes from two objects with the linker's log.
fn check_linked(tools: &Tools, option: &str, what: &str, target: &str, tally: &mut Tally) -> Result<()> {
    let place = format!("{what} {target}");
    let folder = folder(tools, &place)?;
    let cubin = folder.join("linked.cubin");
    let target_word = format!("-arch={target}");
    let mut objects = Vec::new();
    for source in ["rdc_kernels.cu", "rdc_functions.cu"] {
        let object = folder.join(source).with_extension("o");
        let mut nvcc = tools.program("nvcc");
        nvcc.current_dir(&folder).args(["-c", option]).arg(&target_word).arg("-o").arg(&object);
        stderr_of(nvcc.arg(kernels::path(source)))?;
        objects.push(object);
    }
    let mut nvcc = tools.program("nvcc");
    nvcc.current_dir(&folder).args(["-dlink", "-cubin", "-Xnvlink", "-v,-ignore-host-info", option]).arg(&target_word);
    let log = stderr_of(nvcc.arg("-o").arg(&cubin).args(&objects))?;
    let case = Case { place: &place, toolkit: (13, 5), target };
    let images = read(&place, &fs::read(&cubin)?, tally);
    // With `-dlto` the linker compiles the code, and its log has no numbers.
    if option == "-rdc=true" {
        check_nvlink_log(&case, &images, &log, tally);
    }
    let all: Vec<_> = images.iter().collect();
    let elves = tools.cuobjdump_elf(&[], &cubin, |text| cuobjdump::elf(BufReader::new(text)))?;
    let usages = cuobjdump::usage(&tools.cuobjdump(&["-res-usage"], &cubin)?.unwrap_or_default());
    match (&usages[..], &elves[..]) {
        ([usage], [elf]) => {
            case.usage(&all, usage, tally);
            case.elf(&all, elf, tally);
        }
        _ => tally.difference(format!("{place}: not one cubin for cuobjdump")),
    }
    tally.images(&format!("cubins {what}"), images.len());
    Ok(())
}

/// Compares linked kernels with the linker's log, both read from the cubin and read from the log.
fn check_nvlink_log(case: &Case<'_>, images: &[KernelImage], log: &str, tally: &mut Tally) {
    let logged = log::nvlink(log);
    let count = (Reader::Binary, "kernels", Reference::NvlinkLog);
    tally.check(count, !logged.is_empty(), &images.len(), &logged.len(), &case.place);
    let from_log = read(case.place, log.as_bytes(), tally);
    let count = (Reader::Log, "kernels", Reference::NvlinkLog);
    tally.check(count, !logged.is_empty(), &from_log.len(), &logged.len(), &case.place);
    for image in images {
        match logged.iter().find(|kernel| *kernel.name == *image.name) {
            Some(kernel) => case.nvlink(image, kernel, tally),
            None => tally.difference(format!("{}: {}: not in the log", case.place, image.name)),
        }
        if let Some(ours) = from_log.iter().find(|found| found.name == image.name) {
            case.text(Reader::Log, ours, image, tally);
        }
    }
}

/// Checks that an object with only link-time code gives an error.
fn check_link_time_code(tools: &Tools, tally: &mut Tally) -> Result<()> {
    let folder = folder(tools, "link-time")?;
    let object = folder.join("link-time.o");
    let mut nvcc = tools.program("nvcc");
    nvcc.current_dir(&folder).args(["-dc", "-gencode", "arch=compute_90,code=lto_90", "-o"]).arg(&object);
    stderr_of(nvcc.arg(kernels::path("rdc_kernels.cu")))?;
    let problem = occ_artifacts::read(&fs::read(&object)?).map_err(|error| error.problem);
    let what = (Reader::Binary, "link-time code", Reference::Source);
    tally.check(what, true, &problem, &Err(Problem::OnlyLinkTimeCode), &"link-time.o");
    Ok(())
}

/// Creates a folder for a build, because `nvcc` writes more files beside its output.
fn folder(tools: &Tools, name: &str) -> Result<PathBuf> {
    let folder = tools.scratch.join(name.replace(['.', ' '], "-"));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

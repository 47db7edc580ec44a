//! Compares cubins of every `ptxas` for every target that it supports.

use super::compare::{Case, known};
use super::kernels::{Source, with_header};
use super::tally::{Reader, Reference, Tally};
use super::tools::{Ptxas, Tools, capability};
use super::{cuobjdump, log};
use crate::Result;
use occ_artifacts::{Code, Error, KernelImage, Problem};
use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

/// Options of `ptxas`.
pub(crate) struct Options {
    name: &'static str,
    words: &'static [&'static str],
    is_for_linking: bool,
}

pub(crate) const PLAIN: Options = Options { name: "plain", words: &[], is_for_linking: false };

/// One of these is also used for each target, in turn.
pub(crate) const OTHER: [Options; 5] = [
    Options { name: "maxrregcount", words: &["--maxrregcount", "32"], is_for_linking: false },
    Options { name: "debug", words: &["-g"], is_for_linking: false },
    Options { name: "lineinfo", words: &["-lineinfo"], is_for_linking: false },
    Options { name: "O0", words: &["-O0"], is_for_linking: false },
    Options { name: "for linking", words: &["-c"], is_for_linking: true },
];

/// Compiles every source for a target, and compares the kernels.
pub(crate) fn check(
    tools: &Tools,
    ptxas: &Ptxas,
    target: &str,
    options: &Options,
    sources: &[(Source, String)],
    tally: &mut Tally,
) -> Result<()> {
    let (major, minor) = ptxas.version;
    for (source, text) in sources.iter().filter(|(source, _)| source.fits(ptxas, target, options.is_for_linking)) {
        let place = format!("ptxas {major}.{minor} {target} {} {}", options.name, source.name);
        let case = Case { place: &place, toolkit: ptxas.version, target };
        let ptx = tools.scratch.join(format!("{place}.ptx").replace(' ', "-"));
        let cubin = ptx.with_extension("cubin");
        let text = with_header(text, ptxas.isa, target);
        fs::write(&ptx, &text)?;
        let mut command = Command::new(&ptxas.program);
        let output =
            command.args(["-v", "-arch", target]).args(options.words).arg("-o").args([&cubin, &ptx]).output()?;
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            let images = read_cubin(tools, &case, &cubin, &log, tally)?;
            tally.images(&format!("cubins of ptxas {major}.{minor}"), images.len());
            if options.name == PLAIN.name {
                check_ptx(&case, &text, &images, tally);
            }
            fs::remove_file(&cubin)?;
        } else if source.may_be_refused() && log.contains("uses too much shared data") {
            tally.known(known::LARGE_SMEM);
        } else {
            tally.difference(format!("{place}: does not compile: {log}"));
        }
        fs::remove_file(&ptx)?;
    }
    Ok(())
}

/// Compares a cubin with the log of its compilation and with `cuobjdump`. Returns its kernels.
fn read_cubin(tools: &Tools, case: &Case<'_>, cubin: &Path, log: &str, tally: &mut Tally) -> Result<Vec<KernelImage>> {
    let images = read(case.place, &fs::read(cubin)?, tally);
    let all: Vec<_> = images.iter().collect();
    check_log(case, &all, log, tally);
    for image in &images {
        case.target(Reader::Binary, image, false, tally);
    }
    let is_refused = case.toolkit < (12, 4) && capability(case.target).is_some_and(|(number, _)| number >= 70);
    match tools.cuobjdump(&["-res-usage"], cubin)? {
        None if is_refused => tally.known(known::REFUSED_OLD),
        None => tally.difference(format!("{}: cuobjdump rejects it", case.place)),
        Some(text) => {
            match &cuobjdump::usage(&text)[..] {
                [usage] => case.usage(&all, usage, tally),
                usages => tally.difference(format!("{}: {} cubins for cuobjdump", case.place, usages.len())),
            }
            check_usage_text(case, &text, &images, tally);
            match &tools.cuobjdump_elf(&[], cubin, |text| cuobjdump::elf(BufReader::new(text)))?[..] {
                [elf] => case.elf(&all, elf, tally),
                elves => tally.difference(format!("{}: {} cubins for cuobjdump", case.place, elves.len())),
            }
        }
    }
    Ok(images)
}

/// Compares kernels of one target with the log of their compilation, both read from the cubin and read from the log.
pub(crate) fn check_log(case: &Case<'_>, images: &[&KernelImage], log: &str, tally: &mut Tally) {
    let logged = log::ptxas(log);
    let logged: Vec<_> = logged.iter().filter(|kernel| kernel.arch == case.target).collect();
    let from_log = read(case.place, log.as_bytes(), tally);
    let from_log: Vec<_> =
        from_log.iter().filter(|image| image.target.is_some_and(|target| target.to_string() == case.target)).collect();
    for (reader, images) in [(Reader::Binary, images), (Reader::Log, &from_log)] {
        for image in images {
            match logged.iter().find(|kernel| *kernel.name == *image.name) {
                Some(kernel) => case.log(reader, image, kernel, tally),
                None => tally.difference(format!("{}: {}: not in the log", case.place, image.name)),
            }
        }
        let what = (reader, "kernels", Reference::PtxasLog);
        tally.check(what, !logged.is_empty(), &images.len(), &logged.len(), &case.place);
    }
    for log in from_log {
        case.target(Reader::Log, log, true, tally);
        if let Some(image) = images.iter().find(|image| image.name == log.name) {
            case.text(Reader::Log, log, image, tally);
        }
    }
}

/// Compares kernels read from the text of `cuobjdump -res-usage` with the cubin.
fn check_usage_text(case: &Case<'_>, text: &str, images: &[KernelImage], tally: &mut Tally) {
    let from_text = read(case.place, text.as_bytes(), tally);
    let what = (Reader::Usage, "kernels", Reference::Cubin);
    tally.check(what, !images.is_empty(), &from_text.len(), &images.len(), &case.place);
    for ours in &from_text {
        match images.iter().find(|image| image.name == ours.name) {
            Some(image) => case.text(Reader::Usage, ours, image, tally),
            None => tally.difference(format!("{}: {}: not in the cubin", case.place, ours.name)),
        }
    }
}

/// Compares kernels read from PTX with the cubin.
fn check_ptx(case: &Case<'_>, text: &str, images: &[KernelImage], tally: &mut Tally) {
    let from_ptx = read(case.place, text.as_bytes(), tally);
    let what = (Reader::Ptx, "kernels", Reference::CuobjdumpElf);
    tally.check(what, !images.is_empty(), &from_ptx.len(), &images.len(), &case.place);
    for ptx in &from_ptx {
        if ptx.target.is_none_or(|target| target.code != Code::Ptx) {
            tally.difference(format!("{}: {}: the target of PTX is {:?}", case.place, ptx.name, ptx.target));
        }
        case.target(Reader::Ptx, ptx, true, tally);
        match images.iter().find(|image| image.name == ptx.name) {
            Some(image) => case.ptx(ptx, image, tally),
            None => tally.difference(format!("{}: {}: in PTX only", case.place, ptx.name)),
        }
    }
}

/// Reads an artifact; an error is a difference, except for a text without kernels.
pub(crate) fn read(place: &str, bytes: &[u8], tally: &mut Tally) -> Vec<KernelImage> {
    match occ_artifacts::read(bytes) {
        Ok(images) => images,
        Err(Error { problem: Problem::NoKernels, .. }) => Vec::new(),
        Err(error) => {
            tally.difference(format!("{place}: {error}"));
            Vec::new()
        }
    }
}

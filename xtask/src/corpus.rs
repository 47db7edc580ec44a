//! `cargo xtask corpus`: compares kernel resources read by `occ-artifacts` with the output of NVIDIA's tools.

mod compare;
mod compile;
mod cuobjdump;
mod host;
mod kernels;
mod log;
mod tally;
mod tools;

use crate::Result;
use kernels::{SOURCES, Source};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;
use tally::{Reader, Reference, Tally};
use tools::Tools;

/// The minimum number of kernel images for a meaningful comparison.
const MIN_IMAGES: u64 = 5_000;

/// The comparisons that must occur, at least once with a value that is present and not 0.
const REQUIRED: [(Reader, &str, Reference); 59] = [
    (Reader::Binary, "registers", Reference::PtxasLog),
    (Reader::Binary, "static smem", Reference::PtxasLog),
    (Reader::Binary, "barriers", Reference::PtxasLog),
    (Reader::Binary, "stack", Reference::PtxasLog),
    (Reader::Binary, "unbounded stack", Reference::PtxasLog),
    (Reader::Binary, "spills", Reference::PtxasLog),
    (Reader::Binary, "kernels", Reference::PtxasLog),
    (Reader::Binary, "registers", Reference::CuobjdumpUsage),
    (Reader::Binary, "static smem", Reference::CuobjdumpUsage),
    (Reader::Binary, "stack", Reference::CuobjdumpUsage),
    (Reader::Binary, "names", Reference::CuobjdumpElf),
    (Reader::Binary, "target", Reference::CuobjdumpElf),
    (Reader::Binary, "toolkit", Reference::CuobjdumpElf),
    (Reader::Binary, "is linked", Reference::CuobjdumpElf),
    (Reader::Binary, "registers", Reference::CuobjdumpElf),
    (Reader::Binary, "static smem", Reference::CuobjdumpElf),
    (Reader::Binary, "stack", Reference::CuobjdumpElf),
    (Reader::Binary, "barriers", Reference::CuobjdumpElf),
    (Reader::Binary, "max threads", Reference::CuobjdumpElf),
    (Reader::Binary, "required block", Reference::CuobjdumpElf),
    (Reader::Binary, "register cap", Reference::CuobjdumpElf),
    (Reader::Binary, "cluster", Reference::CuobjdumpElf),
    (Reader::Binary, "cluster rank", Reference::CuobjdumpElf),
    (Reader::Binary, "explicit cluster", Reference::CuobjdumpElf),
    (Reader::Binary, "blocks=clusters", Reference::CuobjdumpElf),
    (Reader::Binary, "setmaxnreg", Reference::CuobjdumpElf),
    (Reader::Binary, "tensor memory 1", Reference::CuobjdumpElf),
    (Reader::Binary, "tensor memory 2", Reference::CuobjdumpElf),
    (Reader::Binary, "target", Reference::Request),
    (Reader::Binary, "cubins", Reference::CuobjdumpElf),
    (Reader::Binary, "registers", Reference::NvlinkLog),
    (Reader::Binary, "static smem", Reference::NvlinkLog),
    (Reader::Binary, "barriers", Reference::NvlinkLog),
    (Reader::Binary, "stack", Reference::NvlinkLog),
    (Reader::Binary, "target", Reference::CuobjdumpUsage),
    (Reader::Log, "kernels", Reference::NvlinkLog),
    (Reader::Binary, "link-time code", Reference::Source),
    (Reader::Log, "kernels", Reference::PtxasLog),
    (Reader::Log, "registers", Reference::PtxasLog),
    (Reader::Log, "static smem", Reference::PtxasLog),
    (Reader::Log, "barriers", Reference::PtxasLog),
    (Reader::Log, "registers", Reference::Cubin),
    (Reader::Log, "static smem", Reference::Cubin),
    (Reader::Log, "barriers", Reference::Cubin),
    (Reader::Log, "stack", Reference::Cubin),
    (Reader::Log, "spills", Reference::PtxasLog),
    (Reader::Log, "target", Reference::Request),
    (Reader::Usage, "kernels", Reference::Cubin),
    (Reader::Usage, "registers", Reference::Cubin),
    (Reader::Usage, "static smem", Reference::Cubin),
    (Reader::Usage, "stack", Reference::Cubin),
    (Reader::Ptx, "kernels", Reference::CuobjdumpElf),
    (Reader::Ptx, "max threads", Reference::CuobjdumpElf),
    (Reader::Ptx, "required block", Reference::CuobjdumpElf),
    (Reader::Ptx, "cluster", Reference::CuobjdumpElf),
    (Reader::Ptx, "no numbers", Reference::CuobjdumpElf),
    (Reader::Ptx, "min blocks", Reference::Source),
    (Reader::Ptx, "target", Reference::Request),
    (Reader::Ptx, "entries", Reference::CuobjdumpUsage),
];

/// The kinds of artifacts that must have kernels.
const KINDS: [&str; 15] = [
    "cubins of ptxas 12.0",
    "cubins of ptxas 12.2",
    "cubins of ptxas 12.4",
    "cubins of ptxas 12.5",
    "cubins of ptxas 12.6",
    "cubins of ptxas 12.8",
    "cubins of ptxas 12.9",
    "cubins of ptxas 13.5",
    "cubins linked by nvlink",
    "cubins compiled when linked",
    "fatbins",
    "host files",
    "objects for linking",
    "shipped libraries: curand of 13.5",
    "shipped libraries: curand of 12.9",
];

/// Compiles the corpus, and compares every kernel.
pub(crate) fn run() -> Result<()> {
    let start = Instant::now();
    let tools = Tools::install()?;
    println!("tools after {:.0} s", start.elapsed().as_secs_f64());
    let mut sources = Vec::new();
    for source in SOURCES {
        let ptx = source.ptx(&tools)?;
        sources.push((source, ptx));
    }
    println!("kernels after {:.0} s", start.elapsed().as_secs_f64());
    let tally = run_all(&jobs(&tools, &sources))?;
    println!("compared after {:.0} s", start.elapsed().as_secs_f64());
    tally.verdict(&REQUIRED, &KINDS)
}

type Job<'a> = Box<dyn Fn(&mut Tally) -> Result<()> + Sync + 'a>;

/// Returns all comparisons, the longest first.
fn jobs<'a>(tools: &'a Tools, sources: &'a [(Source, String)]) -> Vec<Job<'a>> {
    let mut jobs = host::jobs(tools);
    let mut other = compile::OTHER.iter().cycle();
    for ptxas in &tools.ptxas {
        for target in &ptxas.targets {
            for options in [&compile::PLAIN].into_iter().chain(other.next()) {
                jobs.push(Box::new(move |tally| compile::check(tools, ptxas, target, options, sources, tally)));
            }
        }
    }
    jobs
}

/// Runs the jobs on all cores. A failed job counts as a difference.
fn run_all(jobs: &[Job<'_>]) -> Result<Tally> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = job(&mut tally) {
                tally.difference(failure.to_string());
            }
        }
        tally
    };
    let cores = thread::available_parallelism()?.get();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut total = Tally::default();
        for worker in workers {
            total.add(worker.join().map_err(|_| "a comparison panicked")?);
        }
        Ok(total)
    })
}

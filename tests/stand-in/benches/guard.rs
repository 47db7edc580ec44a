//! What the guard costs, against a driver whose launch does nothing: `cargo xtask bench guard`.
//!
//! Bare and guarded launches are measured in turns, since machines are noisy and slow down together.

#![allow(clippy::unwrap_used, reason = "what is missing in a measurement fails it")]

use cuda_stand_in::stand_in;
use cust::error::CudaResult;
use cust::prelude::*;
use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement, launch_config};
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counts allocations.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SAXPY: LaunchSpec = LaunchSpec::new("saxpy", &[Arch::SM_75], Kernel::new().registers(22), Launch::new(256))
    .require(Requirement::new().min_occupancy(1.0));

#[launch_config(arch = "sm_75", min_occupancy = 1.0, block = 256, registers = 22)]
fn annotated(function: &occ_runtime::cust::Bound<'_>, stream: &Stream, grid: u32) -> CudaResult<()> {
    unsafe { launch!(function<<<grid, 256, 0, stream>>>()) }
}

#[launch_config(arch = "sm_75", min_occupancy = 1.0, block = 256, registers = 22)]
fn annotated_unbound(function: &Function<'_>, stream: &Stream, grid: u32) -> CudaResult<()> {
    unsafe { launch!(function<<<grid, 256, 0, stream>>>()) }
}

/// Launches of one round, and rounds.
const LAUNCHES: u32 = 50_000;
const ROUNDS: usize = 301;

/// Most nanoseconds that a guarded launch may take more than a bare one.
const BAR: f64 = 5.0;
/// Most that a launch may take with 16 threads, as a multiple of one alone on as many cores.
const CROWD_BAR: f64 = 2.0;
const THREADS: usize = 16;
/// Most calls of the driver for a first check.
const CALLS_BAR: u64 = 40;

/// Nanoseconds of each of `LAUNCHES` launches.
fn time(launch: &dyn Fn(u32)) -> f64 {
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        launch(black_box(4096));
    }
    start.elapsed().as_nanos() as f64 / f64::from(LAUNCHES)
}

fn main() -> ExitCode {
    let _context = cust::quick_init().unwrap();
    let module = Module::from_ptx("any", &[]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let function = module.get_function("saxpy").unwrap();
    let mut missed = false;
    let mut judge = |what: &str, is_met: bool| {
        println!("{what}{}", if is_met { "" } else { ": MISSED" });
        missed |= !is_met;
    };

    stand_in().count_anew();
    let bound = SAXPY.bind(&function).unwrap();
    let calls = stand_in().all_calls();
    judge(&format!("calls of the driver for a first check: {calls} (bar {CALLS_BAR})"), calls <= CALLS_BAR);

    stand_in().launches_do_nothing(true);
    let bare = |grid: u32| unsafe { stream.launch(&function, grid, 256, 0, &[]) }.unwrap();
    let guarded = |grid: u32| unsafe { bound.launch(&stream, grid, &[]) }.unwrap();
    let by_macro = |grid: u32| annotated(&bound, &stream, grid).unwrap();
    let by_handle = |grid: u32| unsafe { SAXPY.launch(&stream, &function, grid, &[]) }.unwrap();
    let macro_by_handle = |grid: u32| annotated_unbound(&function, &stream, grid).unwrap();
    for launch in [&guarded as &dyn Fn(u32), &by_macro, &by_handle, &macro_by_handle] {
        launch(1);
    }

    stand_in().count_anew();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..1_000 {
        guarded(1);
        by_macro(1);
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    judge(&format!("allocations of 2000 launches after the first: {allocations} (bar 0)"), allocations == 0);
    let calls = stand_in().all_calls();
    judge(&format!("calls of the driver of 2000 launches after the first: {calls} (bar 0)"), calls == 0);

    // The least disturbed round of each: whatever else the machine does only makes a round longer.
    let launches = [&bare as &dyn Fn(u32), &guarded, &by_macro, &by_handle, &macro_by_handle];
    let mut least = [f64::MAX; 5];
    for _ in 0..ROUNDS {
        for (least, launch) in least.iter_mut().zip(launches) {
            *least = least.min(time(launch));
        }
    }
    let [bare, guarded_least, by_macro_least, by_handle_least, macro_by_handle_least] = least;
    for (what, least) in [("bound launch", guarded_least), ("launch! of a bound function", by_macro_least)] {
        let more = least - bare;
        judge(&format!("{what}: {more:.2} ns more than a bare one of {bare:.2} ns (bar {BAR})"), more <= BAR);
    }
    // They ask the driver, here the double, for the device, the occupancy and the registers: three calls behind its lock.
    for (what, least) in [("LaunchSpec::launch", by_handle_least), ("launch! of a function", macro_by_handle_least)] {
        println!("{what}, three calls of the driver included: {:.0} ns more than a bare one", least - bare);
    }
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    for _ in 0..1_000 {
        by_handle(1);
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    judge(&format!("allocations of 1000 launches of a function: {allocations} (bar 0)"), allocations == 0);

    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let by_all = guarded_by_all(&bound, &stream);
    let (mut alone, mut crowded) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS / 4 {
        alone = alone.min(time(&guarded));
        crowded = crowded.min(crowd(&by_all, cores));
    }
    let ratio = crowded / alone;
    let what = format!("{THREADS} threads on {cores} cores: {ratio:.2} times as long as alone (bar {CROWD_BAR})");
    judge(&what, ratio <= CROWD_BAR);
    ExitCode::from(u8::from(missed))
}

fn guarded_by_all<'a>(bound: &'a occ_runtime::cust::Bound<'_>, stream: &'a Stream) -> impl Fn(u32) + Sync + 'a {
    move |grid| unsafe { bound.launch(stream, grid, &[]) }.unwrap()
}

/// Nanoseconds a core takes for each launch, with many threads launching.
fn crowd(launch: &(dyn Fn(u32) + Sync), cores: usize) -> f64 {
    let each = LAUNCHES;
    let start = Barrier::new(THREADS);
    let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
        let work = || {
            start.wait();
            let begun = Instant::now();
            for _ in 0..each {
                launch(black_box(4096));
            }
            (begun, Instant::now())
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    // From the first that began to the last that ended.
    let begun = times.iter().map(|time| time.0).min().unwrap();
    let elapsed = times.iter().map(|time| time.1).max().unwrap() - begun;
    elapsed.as_nanos() as f64 * cores as f64 / (f64::from(each) * THREADS as f64)
}

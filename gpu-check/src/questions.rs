//! Questions that only a GPU can answer, answered from a report.

use crate::report::{Available, ClusterPoint, KernelRecord, Point, Report};
use std::collections::BTreeMap;

/// Returns each question with its answer, or with what is missing for one.
pub(crate) fn answers(report: &Report) -> Vec<(&'static str, String)> {
    vec![
        ("does SHARED_SIZE_BYTES hold the memory that is reserved in each block?", shared_size(report)),
        ("is LOCAL_SIZE_BYTES the stack of the cubin?", local_size(report)),
        ("how many barriers does an SM have?", barriers(report)),
        ("how much shared memory can a block opt into?", optin(report)),
        ("does a preferred carve-out limit the blocks, and is it raised for one block?", carveouts(report)),
        ("how much dynamic shared memory does the driver call available?", available(report)),
        ("how many clusters does the device hold, by their blocks?", clusters(report)),
        ("what does a guarded launch cost?", timing(report)),
        ("what could not be asked?", report.stopped.join("; ")),
    ]
}

fn kernel<'r>(report: &'r Report, name: &str) -> Option<(usize, &'r KernelRecord)> {
    report.kernels.iter().enumerate().find(|(_, kernel)| kernel.name == name)
}

fn shared_size(report: &Report) -> String {
    let of = |name: &str| {
        let (_, kernel) = kernel(report, name)?;
        Some(format!("{name}: {} by the cubin, {} by the driver", kernel.static_smem?, kernel.attributes.get(&1)?))
    };
    ["registers_a", "shared_1k", "shared_16k", "shared_48k"]
        .iter()
        .filter_map(|name| of(name))
        .collect::<Vec<_>>()
        .join("; ")
}

fn local_size(report: &Report) -> String {
    let of = |name: &str| {
        let (_, kernel) = kernel(report, name)?;
        let stack = kernel.stack.map_or_else(|| "not known".to_owned(), |stack| stack.to_string());
        Some(format!("{name}: {stack} by the cubin, {} by the driver", kernel.attributes.get(&3)?))
    };
    ["registers_a", "local", "recursive"].iter().filter_map(|name| of(name)).collect::<Vec<_>>().join("; ")
}

/// Blocks of one warp with each number of barriers: where they are fewer, the barriers limit them.
fn barriers(report: &Report) -> String {
    let of = |name: &str| {
        let (at, kernel) = kernel(report, name)?;
        let point =
            report.points.iter().find(|point| point.0 == at && point.1 == 32 && point.2 == 0 && point.3 == -1)?;
        Some(format!("{} barriers: {} blocks", kernel.barriers?, point.5))
    };
    let names = ["barriers_1", "barriers_2", "barriers_4", "barriers_8", "barriers_16"];
    names.iter().filter_map(|name| of(name)).collect::<Vec<_>>().join("; ")
}

fn optin(report: &Report) -> String {
    let number = |attribute| report.device.get(&attribute).map_or_else(|| "unknown".to_owned(), i32::to_string);
    format!("{} of {}, {} reserved in each block", number(97), number(81), number(111))
}

fn carveouts(report: &Report) -> String {
    let Some((at, _)) = kernel(report, "dynamic") else {
        return "no kernel for it".to_owned();
    };
    let asked = report.points.iter().filter(|Point(kernel, threads, ..)| *kernel == at && *threads == 128);
    let mut by_size: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for Point(_, _, size, carveout, optin, blocks) in asked.copied() {
        if optin {
            by_size.entry(size).or_default().push(format!("{carveout}%: {blocks}"));
        }
    }
    by_size.iter().map(|(size, all)| format!("{size} bytes: {}", all.join(", "))).collect::<Vec<_>>().join("; ")
}

fn available(report: &Report) -> String {
    let Some((at, _)) = kernel(report, "dynamic") else {
        return "no kernel for it".to_owned();
    };
    let of = report.available.iter().filter(|Available(kernel, ..)| *kernel == at);
    of.map(|Available(_, blocks, _, bytes)| format!("{blocks} blocks: {bytes} bytes")).collect::<Vec<_>>().join("; ")
}

fn clusters(report: &Report) -> String {
    let of = report.clusters.iter().filter(|ClusterPoint(kernel, threads, ..)| *kernel == 0 && *threads == 1024);
    let all: Vec<String> = of.map(|ClusterPoint(_, _, blocks, clusters)| format!("{blocks}: {clusters}")).collect();
    if all.is_empty() { "it has none".to_owned() } else { all.join(", ") }
}

fn timing(report: &Report) -> String {
    let of = report.timing.iter().map(|(what, nanoseconds)| format!("{what}: {nanoseconds:.0} ns"));
    of.collect::<Vec<_>>().join("; ")
}

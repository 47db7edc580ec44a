//! Advice makes a check pass, is the smallest change that does, and is told in numbers that differ.

use crate::launches::declared;
use crate::random::check;
use occ_core::internal::Text;
use occ_core::{Arch, Change, Check, Requirement, Rule, Waves, lane_efficiency, register_budget};
use proptest::prelude::*;
use std::cell::Cell;

/// Returns whether `changed` passes `rule` and every other rule that `before` passes.
fn is_enough(before: &Check<'_>, changed: &Check<'_>, rule: Rule) -> bool {
    let breaks = |other: &Rule| before.verdict(*other).passes() && !changed.verdict(*other).passes();
    changed.verdict(rule).passes() && !Rule::ALL.iter().any(breaks)
}

/// Returns the next larger change, for changes that are amounts.
fn one_more(change: Change) -> Option<Change> {
    match change {
        Change::Registers(value) => Some(Change::Registers(value + 1)),
        Change::DynamicSmem(value) => Some(Change::DynamicSmem(value + 1)),
        Change::StaticSmem(value) => Some(Change::StaticSmem(value + 1)),
        Change::Barriers(value) => Some(Change::Barriers(value + 1)),
        _ => None,
    }
}

/// Content of a line of help.
#[derive(Debug)]
struct Help {
    /// The change it names.
    change: Option<Change>,
    /// What is reached with it, in the requirement's unit.
    reaches: Option<f64>,
    /// `__launch_bounds__(threads, blocks)`.
    bounds: Option<(u32, u32)>,
    /// `-maxrregcount=`.
    cap: Option<u32>,
}

/// How a help begins that names a value, and the change it means.
type Form<Value> = (&'static str, fn(Value) -> Change);

/// Reads a line of help. Every number in it is read; a form that is not known fails.
fn read_help(line: &str) -> Help {
    let mut help = Help { change: None, reaches: None, bounds: None, cap: None };
    let amounts: [Form<u32>; 5] = [
        ("limit `registers` to ", Change::Registers),
        ("limit `max_registers` to ", Change::Registers),
        ("limit `dynamic_smem` to ", Change::DynamicSmem),
        ("limit `static_smem` to ", Change::StaticSmem),
        ("limit `barriers` to ", Change::Barriers),
    ];
    let shapes: [Form<[u32; 3]>; 2] = [("set `block = ", Change::Block), ("set `grid = ", Change::Grid)];
    let mut rest = line;
    for (start, change) in amounts {
        if let Some(after) = line.strip_prefix(start) {
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            help.change = Some(change(after[..digits].parse().unwrap()));
            rest = &after[digits..];
        }
    }
    for (start, change) in shapes {
        if let Some(after) = line.strip_prefix(start) {
            let (axes, after) = after.split_once('`').unwrap();
            let axes: Vec<u32> = axes.trim_matches(['(', ')']).split(", ").map(|axis| axis.parse().unwrap()).collect();
            let length = |at: usize| axes.get(at).copied().unwrap_or(1);
            help.change = Some(change([length(0), length(1), length(2)]));
            rest = after;
        }
    }
    for (start, change) in [
        ("remove `carveout`", Change::NoCarveout),
        ("remove `cluster`", Change::NoCluster),
        ("remove the static shared memory", Change::StaticSmem(0)),
        ("remove the dynamic shared memory", Change::DynamicSmem(0)),
    ] {
        if let Some(after) = line.strip_prefix(start) {
            help.change = Some(change);
            rest = after;
        }
    }
    if let Some(after) = line.strip_prefix("set `min_occupancy = ") {
        let (value, after) = after.split_once('`').unwrap();
        help.change = Some(Change::MinOccupancy(value.parse().unwrap()));
        rest = after;
    }
    if let Some((before, after)) = rest.split_once(" (compile the kernel with `") {
        if let Some(cap) = after.strip_prefix("-maxrregcount=") {
            help.cap = Some(cap.strip_suffix("`)").unwrap().parse().unwrap());
        } else {
            let inner = after.strip_prefix("__launch_bounds__(").unwrap().strip_suffix(")`)").unwrap();
            let (threads, blocks) = inner.split_once(", ").unwrap_or((inner, "1"));
            help.bounds = Some((threads.parse().unwrap(), blocks.parse().unwrap()));
        }
        rest = before;
    }
    if let Some((_, after)) = rest.split_once(" to reach ") {
        let digits = after.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(after.len());
        help.reaches = Some(after[..digits].parse().unwrap());
        rest = &after[digits..];
    }
    assert!(!rest.contains(|c: char| c.is_ascii_digit()), "a number is not accounted for: {line}");
    help
}

/// The lowest number over the capabilities of what the first line of a message is about.
fn lowest_reached(check: &Check<'_>, first_line: &str) -> f64 {
    let of = |arch: &Arch| {
        let answer = check.occupancy_on(*arch).unwrap();
        if first_line.starts_with("occupancy") {
            answer.fraction() * 100.0
        } else if first_line.contains(" block") {
            f64::from(answer.blocks_per_sm)
        } else {
            f64::from(answer.warps_per_sm())
        }
    };
    check.archs.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// Every change that is advised makes the launch pass and breaks nothing; every amount is the largest that does; and
/// every line of help names such a change.
#[test]
fn advice_is_true() {
    let failing = Cell::new(0);
    let lines = Cell::new(0);
    check(12_000, &declared(), |declared| {
        let check = declared.check();
        for rule in Rule::ALL {
            if check.verdict(rule).passes() {
                prop_assert!(check.advice(rule).is_empty() && check.explain(rule).is_empty());
                continue;
            }
            failing.set(failing.get() + 1);
            let advised: Vec<Change> = check.advice(rule).changes().into_iter().flatten().collect();
            for &change in &advised {
                prop_assert!(is_enough(&check, &check.with(change), rule), "{rule:?} {change:?}");
                if let Some(more) = one_more(change) {
                    prop_assert!(!is_enough(&check, &check.with(more), rule), "{rule:?} {more:?} is enough too");
                }
            }

            let text = check.explain(rule);
            prop_assert!(text.as_str().len() < <Text>::CAPACITY - 3, "cut: {}", text);
            let first_line = text.as_str().lines().next().unwrap();
            let helps: Vec<Help> =
                text.as_str().lines().filter_map(|line| line.strip_prefix("= help: ")).map(read_help).collect();
            let named: Vec<Change> = helps.iter().filter_map(|help| help.change).collect();
            prop_assert_eq!(named.len(), advised.len(), "{}", text);
            for help in &helps {
                lines.set(lines.get() + 1);
                let Some(change) = help.change else {
                    prop_assert!(help.bounds.is_none() && help.cap.is_none() && help.reaches.is_none());
                    continue;
                };
                let changed = check.with(change);
                prop_assert!(is_enough(&check, &changed, rule), "{:?}\n{}", help, text);
                if let Some(reaches) = help.reaches {
                    // As it is printed, to four decimals of a percent.
                    prop_assert!(lowest_reached(&changed, first_line) >= reaches - 0.000_051, "{:?}\n{}", help, text);
                }
                if let Some(cap) = help.cap {
                    prop_assert_eq!(change, Change::Registers(cap), "{}", text);
                }
                if let Some((threads, blocks)) = help.bounds {
                    prop_assert_eq!(threads, check.launch.threads(), "{}", text);
                    // The compiler keeps registers within what admits that many blocks, for each capability.
                    for &arch in check.archs {
                        let budget = register_budget(arch.limits(), &check.kernel, &check.launch, blocks).unwrap();
                        let here = Check { archs: &[arch], gpus: &[], ..check.with(Change::Registers(budget)) };
                        prop_assert!(here.verdict(Rule::Launch).passes(), "{arch} {budget}\n{text}");
                    }
                }
            }
        }
        Ok(())
    });
    assert!(failing.get() >= 5000, "{} failing rules", failing.get());
    assert!(lines.get() >= 5000, "{} lines of help", lines.get());
}

/// Where a message says that no single change was found, none of those a reader would try is.
#[test]
fn no_change_is_enough() {
    const NONE: &str = "= help: no single change was found";
    let said = Cell::new(0);
    check(6000, &declared(), |declared| {
        let check = declared.check();
        let text = check.explain(Rule::Launch);
        if !text.as_str().contains(NONE) {
            return Ok(());
        }
        said.set(said.get() + 1);
        let grid = check.launch.grid.map(|_| Change::Grid([1, 1, 1]));
        let tried = [
            (1..=check.kernel.registers.unwrap_or(0)).map(Change::Registers).collect::<Vec<_>>(),
            (1..=32).map(|warps| Change::Block([warps * 32, 1, 1])).collect(),
            vec![Change::DynamicSmem(0), Change::StaticSmem(0), Change::Barriers(1)],
            vec![Change::NoCarveout, Change::NoCluster],
            grid.into_iter().collect(),
        ];
        for change in tried.into_iter().flatten() {
            prop_assert!(!is_enough(&check, &check.with(change), Rule::Launch), "{change:?} is enough\n{text}");
        }
        Ok(())
    });
    assert!(said.get() >= 200, "{} messages say so", said.get());
}

/// The numbers of a message's first line that stand before and after what is required.
fn first_line_numbers(line: &str) -> Option<(Vec<&str>, &str)> {
    let (reached, required) = [" is below the required ", "; the required minimum is ", "; the declared maximum is "]
        .into_iter()
        .find_map(|between| line.split_once(between))?;
    // `12.5% on sm_80`, `0.31 waves on GeForce RTX 4090`: the first number of each part.
    let numbers = reached
        .split([',', ':'])
        .flat_map(|part| part.split(" and "))
        .filter(|part| !part.ends_with(" more"))
        .filter_map(|part| {
            part.split_whitespace().find(|word| {
                word.trim_end_matches('%').bytes().all(|b| b.is_ascii_digit() || b == b'.')
                    && word.starts_with(|c: char| c.is_ascii_digit())
            })
        })
        .collect();
    Some((numbers, required))
}

fn tells_numbers_apart(text: &str) -> Result<(), TestCaseError> {
    let first_line = text.lines().next().unwrap_or("");
    if let Some((reached, required)) = first_line_numbers(first_line) {
        prop_assert!(!reached.is_empty(), "{}", first_line);
        prop_assert!(!reached.contains(&required), "{}", first_line);
    }
    Ok(())
}

/// No message says that 66.7% is below the required 66.7%.
#[test]
fn first_lines_show_a_difference() {
    check(4000, &declared(), |declared| {
        for rule in Rule::ALL {
            tells_numbers_apart(declared.check().explain(rule).as_str())?;
        }
        Ok(())
    });
}

/// Not even where a requirement lies just beside what is reached.
#[test]
fn first_lines_show_a_small_difference() {
    let beside = (declared(), 4..=12i32, any::<bool>());
    check(4000, &beside, |(declared, digits, rounded)| {
        let check = declared.check();
        let arch = declared.archs[0];
        let Ok(answer) = check.occupancy_on(arch) else {
            return Ok(());
        };
        let scale = 10f64.powi(digits);
        // Rounded up, as people copy 2/3, or a little more than is reached.
        let above = |value: f64| if rounded { (value * scale).ceil() / scale } else { value + 1.0 / scale };
        let mut requirement = Requirement::new()
            .min_occupancy(above(answer.fraction()).min(1.0))
            .min_lane_efficiency(above(lane_efficiency(declared.launch.threads())).min(1.0));
        if let (Some(grid), Some(gpu)) = (declared.launch.grid, declared.gpus.first())
            && let Ok(answer) = check.occupancy_on(gpu.arch)
        {
            let blocks = grid.iter().map(|&axis| u64::from(axis)).product();
            let waves = Waves::new(blocks, answer.blocks_per_sm, gpu.sm_count).unwrap();
            let below = |value: f64| (value - 1.0 / scale).max(0.0);
            requirement = requirement
                .min_waves(above(waves.exact()))
                .max_waves(below(waves.exact()))
                .max_tail_idle(below(waves.tail_idle()));
        }
        let check = Check { requirement, ..check };
        for rule in Rule::ALL {
            tells_numbers_apart(check.explain(rule).as_str())?;
        }
        Ok(())
    });
}

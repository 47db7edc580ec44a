//! CPU time of a clean build of occ-macros and its dependencies.

use super::generated::{CLEAN_ROUNDS, GeneratedCrates, SYN};
use super::measure::{is_at_most, median};
use crate::Result;
use crate::nvidia::workspace_root;

/// `cargo xtask bench build`.
pub(super) fn run() -> Result<()> {
    let bench = GeneratedCrates::new("build")?;
    let root = workspace_root();
    let ours = format!("occ-macros = {{ path = \"{}\" }}\n", root.join("occ-macros").display());
    bench.macro_member("with_occ_macros", &ours)?;
    bench.macro_member("with_syn", SYN)?;
    bench.workspace()?;
    let mut ratios = Vec::new();
    let mut seconds = Vec::new();
    for _ in 0..CLEAN_ROUNDS {
        let base = bench.clean_build("with_syn")?;
        let ours = bench.clean_build("with_occ_macros")?;
        ratios.push(ours / base);
        seconds.push((ours, base));
    }
    println!(
        "CPU seconds of a clean build, median of {CLEAN_ROUNDS}: occ-macros {:.2}, proc-macro2 + quote + syn 3 full {:.2}",
        median(seconds.iter().map(|pair| pair.0)),
        median(seconds.iter().map(|pair| pair.1)),
    );
    let reached =
        is_at_most(1.5, "occ-macros and its dependencies, against the three", median(ratios.into_iter()), "times");
    if reached { Ok(()) } else { Err("the bar was missed".into()) }
}

/// Prints what reading plain cubins adds to a clean build of the macro, and returns whether the bar is reached.
pub(super) fn added_by_cubins() -> Result<bool> {
    let bench = GeneratedCrates::new("build_with_cubin")?;
    let root = workspace_root().join("occ-macros");
    let ours = |features: &str| format!("occ-macros = {{ path = \"{}\", features = [{features}] }}\n", root.display());
    bench.macro_member("without_cubin", &ours(""))?;
    bench.macro_member("with_cubin", &ours("\"cubin\""))?;
    bench.macro_member("with_syn", SYN)?;
    bench.workspace()?;
    let mut added = Vec::new();
    for _ in 0..CLEAN_ROUNDS {
        let base = bench.clean_build("with_syn")?;
        added.push((bench.clean_build("with_cubin")? - bench.clean_build("without_cubin")?) / base);
    }
    let what = "plain cubins in occ-macros, added to a clean build, of proc-macro2 + quote + syn 3 full";
    Ok(is_at_most(0.25, what, median(added.into_iter()), "times"))
}

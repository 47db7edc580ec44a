//! Compares threads and blocks per SM with `ptxas`, which warns about launch bounds that no SM can hold.

use crate::nvidia::{self, Ptxas};
use crate::{Result, counted};
use occ_core::{Arch, Target};
use std::fs;
use std::process::Command;

/// Runs `cargo xtask ptxas`.
pub(crate) fn run() -> Result<()> {
    match probe()? {
        0 => Ok(()),
        differences => Err(format!("{} from ptxas", counted(differences, "difference")).into()),
    }
}

/// Asks every `ptxas` about every capability that it knows, and returns the number of differences from our table.
pub(crate) fn probe() -> Result<u64> {
    let mut differences = 0;
    let mut asked = Vec::new();
    for ptxas in &nvidia::ptxas()? {
        let known = known(ptxas)?;
        for name in &known {
            match Target::parse(name) {
                Ok(target) => {
                    differences += differences_of(ptxas, name, target.arch())?;
                    asked.push(target.arch());
                }
                Err(unknown) => {
                    differences += 1;
                    println!("{} knows {name}: {unknown}", ptxas.name);
                }
            }
        }
        println!("{}: {} capabilities", ptxas.name, known.len());
    }
    asked.sort_unstable();
    asked.dedup();
    let unasked: Vec<_> = Arch::ALL.into_iter().filter(|arch| !asked.contains(arch)).collect();
    println!(
        "table against ptxas: {} capabilities, {}; known to neither: {unasked:?}",
        asked.len(),
        counted(differences, "difference")
    );
    Ok(differences)
}

/// Returns the names that `ptxas` lists, without those with a suffix.
fn known(ptxas: &Ptxas) -> Result<Vec<String>> {
    let output = Command::new(&ptxas.program)
        .arg("--help")
        .output()
        .map_err(|error| format!("{} does not start: {error}", ptxas.name))?;
    let help = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<_> = help
        .split('\'')
        .filter(|word| {
            word.strip_prefix("sm_").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
        })
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() { Err(format!("{} lists no capability", ptxas.name).into()) } else { Ok(names) }
}

/// Returns the number of limits that are not the largest value that `ptxas` accepts without a warning.
fn differences_of(ptxas: &Ptxas, name: &str, arch: Arch) -> Result<u64> {
    let sm = arch.limits();
    let mut differences = 0;
    let (blocks, half) = (sm.max_blocks_per_sm, sm.max_threads_per_sm() / 2);
    for (what, threads, blocks, in_range) in [
        ("blocks per SM", 32, blocks, true),
        ("blocks per SM", 32, blocks + 1, false),
        ("threads per SM", half, 2, true),
        ("threads per SM", half + 1, 2, false),
    ] {
        if accepts(ptxas, name, threads, blocks)? != in_range {
            differences += 1;
            let verdict = if in_range { "warns about" } else { "accepts" };
            println!("{what} of {name}: {} {verdict} {blocks} blocks of {threads} threads", ptxas.name);
        }
    }
    Ok(differences)
}

/// Returns whether `ptxas` compiles an empty kernel with these launch bounds without a warning.
fn accepts(ptxas: &Ptxas, name: &str, threads: u32, blocks: u32) -> Result<bool> {
    let source = nvidia::root().join("probe.ptx");
    fs::write(
        &source,
        format!(
            ".version {}\n.target {name}\n.address_size 64\n\
             .visible .entry probe() .maxntid {threads} .minnctapersm {blocks} {{ ret; }}\n",
            ptxas.ptx
        ),
    )?;
    let output = Command::new(&ptxas.program)
        .args(["-arch", name, "-o"])
        .arg(nvidia::root().join("probe.cubin"))
        .arg(&source)
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(!stderr.contains("out of range"))
    } else {
        Err(format!("{} does not compile an empty kernel for {name}: {stderr}", ptxas.name).into())
    }
}

//! What the attribute costs the people who compile with it, in CPU seconds of whole cargo runs.
//!
//! CPU seconds rather than wall time: on a machine that does other things they are what stays comparable.

use crate::Result;
use occ_core::{Arch, internal::arch_bits};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Annotated items in a crate.
const ITEMS: usize = 1000;

/// Rounds in which every crate is compiled once.
const ROUNDS: usize = 7;

/// Rounds of clean builds, which take longer.
const CLEAN_ROUNDS: usize = 5;

/// `cargo xtask bench attribute`.
pub(crate) fn attribute() -> Result<()> {
    let bench = Bench::new("attribute")?;
    bench.nop()?;
    let constants = "pub const BLOCK: u32 = 256;\npub const REGISTERS: u32 = 40;\npub const SMEM: u32 = 4096;\n";
    bench.member("with_nop", NOP, &functions("#[nop::nop(", literals))?;
    bench.member("with_literals", RUNTIME, &functions("#[occ_runtime::launch_config(", literals))?;
    let with_constants = |attribute| format!("{constants}{}", functions(attribute, in_constants));
    bench.member("with_nop_constants", NOP, &with_constants("#[nop::nop("))?;
    bench.member("with_constants", RUNTIME, &with_constants("#[occ_runtime::launch_config("))?;
    bench.member("without_checks", RUNTIME, constants)?;
    bench.member("with_checks", RUNTIME, &format!("{constants}{}", checks()))?;
    bench.member("without_derive", SERDE, &structs(""))?;
    bench.member("with_derive", SERDE, &structs("#[derive(serde::Deserialize)]\n"))?;
    bench.workspace()?;
    let names = [
        "with_nop",
        "with_literals",
        "with_nop_constants",
        "with_constants",
        "without_derive",
        "with_derive",
        "without_checks",
        "with_checks",
    ];
    let rounds = bench.rounds(&names)?;
    let literal = median(rounds.iter().map(|round| round[1] / round[0]));
    let derive = median(rounds.iter().map(|round| (round[1] - round[0]) / (round[5] - round[4])));
    let constant = median(rounds.iter().map(|round| round[3] - round[2]));
    let check = median(rounds.iter().map(|round| round[7] - round[6]));
    println!("CPU seconds of `cargo check`, {ITEMS} items, median of {ROUNDS} rounds:");
    for (at, name) in names.iter().enumerate() {
        println!("  {name}: {:.3}", median(rounds.iter().map(|round| round[at])));
    }
    println!("of the time constants add, the checks alone, without the macro: {check:.3} s");
    let verdicts = [
        verdict("literal arguments, against an attribute that returns its item", literal, 1.5, "times"),
        verdict("added time, against #[derive(serde::Deserialize)] on four fields", derive, 1.0 / 3.0, "times"),
        verdict("constant arguments, two architectures, added", constant, 0.15, "s"),
    ];
    if verdicts.into_iter().all(|reached| reached) { Ok(()) } else { Err("a bar was missed".into()) }
}

/// `cargo xtask bench build`.
pub(crate) fn build() -> Result<()> {
    let bench = Bench::new("build")?;
    let root = crate::nvidia::workspace_root();
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
        verdict("occ-macros and all it pulls in, against the three", median(ratios.into_iter()), 1.5, "times");
    if reached { Ok(()) } else { Err("the bar was missed".into()) }
}

/// What a fatbin adds that every item names: the first figure of `bench artifacts` about compiling.
pub(super) fn cubin(library: &Path) -> Result<bool> {
    let bench = Bench::new("cubin")?;
    let fatbin = super::artifacts::fatbin_of(library, &bench.folder)?;
    let images = occ_artifacts::read(&fs::read(&fatbin)?)?;
    let mut kernels: Vec<&str> = images
        .iter()
        .filter(|image| image.target.is_some_and(|target| target.to_string() == "sm_80"))
        .map(|image| &*image.name)
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    let kernel = |at: usize| kernels[at % kernels.len()];
    let path = fatbin.display().to_string();
    let with_literals = |at| format!("arch = \"sm_80\", block = 32, registers = {}", 16 + at % 24);
    let with_cubin = |at| format!("arch = \"sm_80\", block = 32, cubin = \"{path}\", kernel = \"{}\"", kernel(at));
    bench.member("with_literals", RUNTIME, &functions("#[occ_runtime::launch_config(", with_literals))?;
    bench.member("with_cubin", RUNTIME, &functions("#[occ_runtime::launch_config(", with_cubin))?;
    bench.workspace()?;
    let rounds = bench.rounds(&["with_literals", "with_cubin"])?;
    println!("{ITEMS} items, {} different kernels of {} images in the fatbin", kernels.len(), images.len());
    let added = median(rounds.iter().map(|round| round[1] - round[0]));
    Ok(verdict("a fatbin that every item names, added CPU time", added, 0.5, "s"))
}

/// What reading plain cubins adds to a clean build of the macro.
pub(super) fn build_with_cubin() -> Result<bool> {
    let bench = Bench::new("build_with_cubin")?;
    let root = crate::nvidia::workspace_root().join("occ-macros");
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
    Ok(verdict(what, median(added.into_iter()), 0.25, "times"))
}

fn verdict(what: &str, measured: f64, bar: f64, unit: &str) -> bool {
    let reached = measured <= bar;
    let word = if reached { "reached" } else { "MISSED" };
    println!("{what}: {measured:.3} {unit} (bar: at most {bar:.3} {unit}, {word})");
    reached
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

const NOP: &str = "nop = { path = \"../nop\" }\n";
const RUNTIME: &str = "occ-runtime = { path = \"{root}/occ-runtime\" }\n";
const SYN: &str = "proc-macro2 = \"1\"\nquote = \"1\"\nsyn = { version = \"3\", features = [\"full\"] }\n";
const SERDE: &str = "serde = { version = \"1\", features = [\"derive\"] }\n";

/// Arguments the macro evaluates, different for each item.
fn literals(at: usize) -> String {
    let registers = 16 + at % 24;
    format!(
        "arch = [\"sm_80\", \"sm_90\"], min_occupancy = 0.25, block = 256, registers = {registers}, dynamic_smem = {}",
        at * 4
    )
}

/// Arguments the compiler evaluates, different for each item.
fn in_constants(at: usize) -> String {
    format!(
        "arch = [\"sm_80\", \"sm_90\"], min_occupancy = 0.25, block = BLOCK, registers = REGISTERS, \
         dynamic_smem = SMEM + {at}"
    )
}

fn functions(attribute: &str, arguments: impl Fn(usize) -> String) -> String {
    let mut source = String::new();
    for at in 0..ITEMS {
        let arguments = arguments(at);
        // A body of the size of an ordinary host function that launches.
        let _ = write!(
            source,
            "{attribute}{arguments})]
pub fn launch_{at}(n: u32, scale: f32, input: &[f32], output: &mut Vec<f32>) -> Result<u32, String> {{
    if input.len() < n as usize {{
        return Err(format!(\"{{}} values, {{n}} are needed\", input.len()));
    }}
    output.extend(input.iter().take(n as usize).map(|value| value * scale));
    let grid = n.div_ceil(256);
    Ok(grid)
}}
"
        );
    }
    source
}

/// The checks as the macro leaves them to the compiler.
fn checks() -> String {
    let archs = arch_bits(&[Arch::SM_80, Arch::SM_90]);
    let mut source = String::new();
    for at in 0..ITEMS {
        let _ = writeln!(
            source,
            "const _: () = ::occ_runtime::__end(::occ_runtime::__judge({archs}, [BLOCK, 1, 1], [SMEM + \
             {at}, 0, REGISTERS, 1], 1, 0.25));"
        );
    }
    source
}

fn structs(derive: &str) -> String {
    let mut source = String::new();
    for at in 0..ITEMS {
        let _ = write!(
            source,
            "{derive}pub struct Item{at} {{
    pub count: u32,
    pub name: String,
    pub bytes: Vec<u8>,
    pub scale: Option<f64>,
}}
"
        );
    }
    source
}

/// A cargo workspace of generated crates under `target/`.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Result<Bench> {
        let folder = crate::nvidia::workspace_root().join("target/bench").join(name);
        fs::create_dir_all(&folder)?;
        Ok(Bench { folder })
    }

    /// An attribute macro that returns its item.
    fn nop(&self) -> Result<()> {
        let source = "use proc_macro::TokenStream;\n\n#[proc_macro_attribute]\npub fn nop(_: TokenStream, item: \
                      TokenStream) -> TokenStream {\n    item\n}\n";
        self.write("nop", "[lib]\nproc-macro = true\n", "", &format!("extern crate proc_macro;\n{source}"))
    }

    fn member(&self, name: &str, dependencies: &str, source: &str) -> Result<()> {
        let root = crate::nvidia::workspace_root();
        let dependencies = dependencies.replace("{root}", &root.display().to_string());
        self.write(name, "", &dependencies, source)
    }

    /// An empty proc-macro crate with dependencies.
    fn macro_member(&self, name: &str, dependencies: &str) -> Result<()> {
        self.write(name, "[lib]\nproc-macro = true\n", dependencies, "")
    }

    fn write(&self, name: &str, more: &str, dependencies: &str, source: &str) -> Result<()> {
        let folder = self.folder.join(name);
        fs::create_dir_all(folder.join("src"))?;
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{more}\n[dependencies]\n{dependencies}"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::write(folder.join("src/lib.rs"), source)?;
        Ok(())
    }

    /// The workspace of every member there is.
    fn workspace(&self) -> Result<()> {
        fs::write(
            self.folder.join("Cargo.toml"),
            "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n",
        )?;
        Ok(())
    }

    /// CPU seconds of checking each member again and again, in turns.
    fn rounds(&self, names: &[&str]) -> Result<Vec<Vec<f64>>> {
        let mut rounds = Vec::new();
        // The first round builds the dependencies too, and is not counted.
        for round in 0..=ROUNDS {
            let mut times = Vec::new();
            for name in names {
                let source = self.folder.join(name).join("src/lib.rs");
                fs::write(&source, fs::read(&source)?)?;
                times.push(cpu_seconds(&self.folder, &["check", "--quiet", "--package", name])?);
            }
            if round > 0 {
                rounds.push(times);
            }
        }
        Ok(rounds)
    }

    fn clean_build(&self, name: &str) -> Result<f64> {
        let target = self.folder.join("target");
        if target.exists() {
            fs::remove_dir_all(target)?;
        }
        cpu_seconds(&self.folder, &["build", "--quiet", "--package", name])
    }
}

/// CPU seconds, user and system, of a cargo run and all it started: the shell's own `time` knows.
fn cpu_seconds(folder: &Path, words: &[&str]) -> Result<f64> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new("bash")
        .args(["-c", "TIMEFORMAT='cpu %U %S'; time \"$0\" \"$@\"", &cargo])
        .args(words)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("cargo {} failed:\n{text}", words.join(" ")).into());
    }
    let line = text.lines().rev().find_map(|line| line.strip_prefix("cpu ")).ok_or("the shell printed no times")?;
    let mut sum = 0.0;
    for seconds in line.split_whitespace() {
        sum += seconds.parse::<f64>()?;
    }
    Ok(sum)
}

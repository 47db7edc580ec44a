//! Crates that are generated under `target/bench`, and the CPU seconds of cargo runs on them.
//!
//! CPU seconds stay comparable on a machine that does other things; wall time does not.

use crate::Result;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Annotated items in a crate.
pub(super) const ITEMS: usize = 1000;

/// Rounds in which every crate is compiled once.
pub(super) const ROUNDS: usize = 7;

/// Rounds of clean builds, which take longer.
pub(super) const CLEAN_ROUNDS: usize = 5;

/// Dependencies of a generated crate, as its manifest has them.
pub(super) const NOP: &str = "nop = { path = \"../nop\" }\n";
pub(super) const RUNTIME: &str = "occ-runtime = { path = \"{root}/occ-runtime\" }\n";
pub(super) const SYN: &str = "proc-macro2 = \"1\"\nquote = \"1\"\nsyn = { version = \"3\", features = [\"full\"] }\n";
pub(super) const SERDE: &str = "serde = { version = \"1\", features = [\"derive\"] }\n";

/// Returns functions with an attribute each, whose arguments depend on their index.
pub(super) fn functions(attribute: &str, arguments: impl Fn(usize) -> String) -> String {
    let mut source = String::new();
    for index in 0..ITEMS {
        let arguments = arguments(index);
        // A body of the size of an ordinary host function that launches.
        let _ = write!(
            source,
            "{attribute}{arguments})]
pub fn launch_{index}(n: u32, scale: f32, input: &[f32], output: &mut Vec<f32>) -> Result<u32, String> {{
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

/// A cargo workspace of generated crates under `target/bench`.
pub(super) struct GeneratedCrates {
    pub(super) folder: PathBuf,
}

impl GeneratedCrates {
    /// Creates the folder of a workspace.
    pub(super) fn new(name: &str) -> Result<GeneratedCrates> {
        let folder = crate::nvidia::workspace_root().join("target/bench").join(name);
        fs::create_dir_all(&folder)?;
        Ok(GeneratedCrates { folder })
    }

    /// Adds `nop`, an attribute that returns its item.
    pub(super) fn nop(&self) -> Result<()> {
        let source = "use proc_macro::TokenStream;\n\n#[proc_macro_attribute]\npub fn nop(_: TokenStream, item: \
                      TokenStream) -> TokenStream {\n    item\n}\n";
        self.write("nop", "[lib]\nproc-macro = true\n", "", &format!("extern crate proc_macro;\n{source}"))
    }

    /// Adds a crate. `{root}` in its dependencies is this repository.
    pub(super) fn member(&self, name: &str, dependencies: &str, source: &str) -> Result<()> {
        let root = crate::nvidia::workspace_root();
        let dependencies = dependencies.replace("{root}", &root.display().to_string());
        self.write(name, "", &dependencies, source)
    }

    /// Adds an empty proc-macro crate with dependencies.
    pub(super) fn macro_member(&self, name: &str, dependencies: &str) -> Result<()> {
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

    /// Makes a workspace of all crates added so far.
    pub(super) fn workspace(&self) -> Result<()> {
        fs::write(
            self.folder.join("Cargo.toml"),
            "[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\nexclude = [\"target\"]\n",
        )?;
        Ok(())
    }

    /// Checks the crates in turns and returns the CPU seconds of each, round by round.
    pub(super) fn rounds(&self, names: &[&str]) -> Result<Vec<Vec<f64>>> {
        let mut rounds = Vec::new();
        // The first round also builds the dependencies, so it does not count.
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

    /// Returns the CPU seconds of building a crate and its dependencies from nothing.
    pub(super) fn clean_build(&self, name: &str) -> Result<f64> {
        let target = self.folder.join("target");
        if target.exists() {
            fs::remove_dir_all(target)?;
        }
        cpu_seconds(&self.folder, &["build", "--quiet", "--package", name])
    }
}

/// Runs cargo and returns the CPU seconds, user and system, of all its processes, which bash's `time` measures.
fn cpu_seconds(folder: &Path, arguments: &[&str]) -> Result<f64> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new("bash")
        .args(["-c", "TIMEFORMAT='cpu %U %S'; time \"$0\" \"$@\"", &cargo])
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("cargo {} failed:\n{stderr}", arguments.join(" ")).into());
    }
    let line = stderr.lines().rev().find_map(|line| line.strip_prefix("cpu ")).ok_or("the shell printed no times")?;
    let mut sum = 0.0;
    for seconds in line.split_whitespace() {
        sum += seconds.parse::<f64>()?;
    }
    Ok(sum)
}

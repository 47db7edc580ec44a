//! `occ_artifacts::build` from outside, with stand-ins for NVIDIA's compilers.
#![cfg(feature = "build")]
#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use occ_artifacts::build::{Kernels, MadeBy};
use std::env;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const RECIPE: &str = "cuda kernels/saxpy.cu\narchs sm_80 sm_89";
const WITH_PREBUILT: &str = "cuda kernels/saxpy.cu\narchs sm_80 sm_89\nor_prebuilt kernels/prebuilt";
const UPDATE: (&str, &str) = ("OCC_UPDATE_PREBUILT", "1");

/// Runs in a process of its own, as a build script does. Each line of `RECIPE` is one call of the builder.
#[test]
#[ignore = "the other tests run it, as a build script"]
fn build_script() {
    let Ok(recipe) = env::var("RECIPE") else {
        return;
    };
    // The test harness may have started a line.
    println!();
    let mut kernels = Kernels::new();
    for line in recipe.lines() {
        let (call, value) = line.split_once(' ').unwrap();
        kernels = match call {
            "cuda" => kernels.cuda(value),
            "ptx" => kernels.ptx(value),
            "archs" => kernels.archs(value.split(' ')),
            "include" => kernels.include(value),
            "define" => match value.split_once('=') {
                Some((name, value)) => kernels.define(name, value),
                None => kernels.define(value, None),
            },
            "nvcc_args" => kernels.nvcc_args([value]),
            "ptxas_args" => kernels.ptxas_args([value]),
            "or_prebuilt" => kernels.or_prebuilt(value),
            _ => panic!("{call}"),
        };
    }
    match kernels.compile() {
        Ok(compiled) => {
            let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
            for artifact in &compiled.artifacts {
                let path = artifact.path.strip_prefix(&out).unwrap().display();
                println!(
                    "made: {path} {:?} of {} {:?}",
                    artifact.format,
                    artifact.source.display(),
                    artifact.target.arch()
                );
            }
            let by = match compiled.made_by {
                MadeBy::Toolkit { version } => version,
                _ => "prebuilt".to_owned(),
            };
            println!("made by: {by}");
        }
        Err(error) => println!("error: {error:?}\nend of error"),
    }
}

/// A package, and a toolkit beside it, in a directory with a space in its name.
struct Place {
    root: PathBuf,
}

/// The output of a build script.
struct ScriptOutput(String);

impl Place {
    fn new(name: &str) -> Place {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build {name}"));
        let _ = fs::remove_dir_all(&root);
        let place = Place { root };
        for program in ["nvcc", "ptxas"] {
            let program = place.toolkit().join("bin").join(format!("{program}{EXE_SUFFIX}"));
            fs::create_dir_all(program.parent().unwrap()).unwrap();
            // A link: another thread cannot run a copy while it is open for writing.
            fs::hard_link(tool(), program).unwrap();
        }
        fs::create_dir_all(place.toolkit().join("include")).unwrap();
        fs::write(place.toolkit().join("include/cuda_runtime.h"), "").unwrap();
        fs::create_dir_all(place.out()).unwrap();
        place.write("kernels/saxpy.cu", "#include \"a b.h\"\nkernel\n");
        place.write("kernels/a b.h", "header\n");
        place
    }

    fn toolkit(&self) -> PathBuf {
        self.root.join("cuda")
    }

    fn package(&self) -> PathBuf {
        self.root.join("package")
    }

    fn out(&self) -> PathBuf {
        self.package().join("target/out")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.package().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.package().join(path)).unwrap()
    }

    fn has(&self, path: &str) -> bool {
        self.package().join(path).exists()
    }

    /// Runs a build script with the toolkit.
    fn build(&self, recipe: &str, variables: &[(&str, &str)]) -> ScriptOutput {
        let toolkit = self.toolkit();
        let mut all = vec![("CUDA_PATH", toolkit.to_str().unwrap())];
        all.extend(variables);
        self.run(recipe, &all)
    }

    /// Runs a build script without a toolkit.
    fn build_without_toolkit(&self, recipe: &str, variables: &[(&str, &str)]) -> ScriptOutput {
        let mut all = vec![("CUDA_PATH", "/no/toolkit/here")];
        all.extend(variables);
        self.run(recipe, &all)
    }

    fn run(&self, recipe: &str, variables: &[(&str, &str)]) -> ScriptOutput {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "build_script", "--nocapture"]);
        let cleared = ["CUDA_PATH", "CUDA_HOME", "OCC_PREBUILT", "OCC_UPDATE_PREBUILT", "NUM_JOBS", "NVCC_CCBIN"];
        for name in cleared {
            command.env_remove(name);
        }
        command.env("RECIPE", recipe).env("OUT_DIR", self.out()).env("CARGO_MANIFEST_DIR", self.package());
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
        ScriptOutput(stdout)
    }
}

impl ScriptOutput {
    /// Returns the rest of each line that starts with `prefix`.
    fn all(&self, prefix: &str) -> Vec<&str> {
        self.0.lines().filter_map(|line| line.strip_prefix(prefix)).collect()
    }

    fn made(&self) -> Vec<&str> {
        assert_eq!(self.error(), None);
        self.all("made: ")
    }

    fn made_by(&self) -> &str {
        self.all("made by: ").first().unwrap_or_else(|| panic!("{}", self.0))
    }

    fn warnings(&self) -> Vec<&str> {
        self.all("cargo:warning=")
    }

    fn error(&self) -> Option<&str> {
        let (_, error) = self.0.split_once("\nerror: ")?;
        error.split_once("\nend of error").map(|(error, _)| error)
    }
}

/// The stand-in, compiled once.
fn tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(|| {
        let tool = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tool{EXE_SUFFIX}"));
        let rustc = Path::new(env!("CARGO")).with_file_name(format!("rustc{EXE_SUFFIX}"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build/tool.rs");
        let status = Command::new(if rustc.is_file() { rustc } else { "rustc".into() })
            .args(["--edition", "2024", "-o"])
            .arg(&tool)
            .arg(source)
            .status();
        assert!(status.unwrap().success());
        tool
    })
}

#[test]
fn names_of_output_files() {
    let place = Place::new("names");
    place.write("kernels/hand.ptx", "ptx");
    let output = place.build("cuda kernels/saxpy.cu\nptx kernels/hand.ptx\narchs sm_89 sm_80 sm_90a sm_89", &[]);
    assert_eq!(
        output.made(),
        [
            "saxpy.sm_89.cubin Cubin of kernels/saxpy.cu sm_89",
            "saxpy.sm_89.log CompilerLog of kernels/saxpy.cu sm_89",
            "saxpy.sm_80.cubin Cubin of kernels/saxpy.cu sm_80",
            "saxpy.sm_80.log CompilerLog of kernels/saxpy.cu sm_80",
            "saxpy.sm_90a.cubin Cubin of kernels/saxpy.cu sm_90",
            "saxpy.sm_90a.log CompilerLog of kernels/saxpy.cu sm_90",
            "saxpy.ptx Ptx of kernels/saxpy.cu sm_80",
            "hand.sm_89.cubin Cubin of kernels/hand.ptx sm_89",
            "hand.sm_89.log CompilerLog of kernels/hand.ptx sm_89",
            "hand.sm_80.cubin Cubin of kernels/hand.ptx sm_80",
            "hand.sm_80.log CompilerLog of kernels/hand.ptx sm_80",
            "hand.sm_90a.cubin Cubin of kernels/hand.ptx sm_90",
            "hand.sm_90a.log CompilerLog of kernels/hand.ptx sm_90",
        ]
    );
    assert_eq!(output.made_by(), "13.5.37");
    assert_eq!(output.warnings(), Vec::<&str>::new());
    for made in output.made() {
        assert!(place.out().join(made.split(' ').next().unwrap()).is_file(), "{made}");
    }
    assert!(place.read("target/out/saxpy.sm_80.log").contains("Used 8 registers"));
}

#[test]
fn options_reach_the_compilers() {
    let place = Place::new("options");
    place.write("kernels/hand.ptx", "ptx");
    let options = "include inc\ndefine UNROLL=4\ndefine FAST\nnvcc_args --use_fast_math\nptxas_args -maxrregcount=64";
    let output = place.build(&format!("cuda kernels/saxpy.cu\nptx kernels/hand.ptx\narchs sm_80\n{options}"), &[]);
    assert_eq!(output.made().len(), 5);
    let out = place.out();
    let out = out.to_str().unwrap();
    assert_eq!(
        place.read("target/out/saxpy.sm_80.cubin"),
        format!(
            "nvcc -Iinc -DUNROLL=4 -DFAST --use_fast_math -cubin -Xptxas -v -Xptxas -maxrregcount=64 \
             -MD -MF {out}/saxpy.sm_80.d -arch=sm_80 -o {out}/saxpy.sm_80.cubin kernels/saxpy.cu\n"
        )
    );
    assert_eq!(
        place.read("target/out/saxpy.ptx"),
        format!(
            "nvcc -Iinc -DUNROLL=4 -DFAST --use_fast_math -ptx -arch=compute_80 -o {out}/saxpy.ptx kernels/saxpy.cu\n"
        )
    );
    assert_eq!(
        place.read("target/out/hand.sm_80.cubin"),
        format!("ptxas -v -maxrregcount=64 -arch=sm_80 -o {out}/hand.sm_80.cubin kernels/hand.ptx\n")
    );
}

#[test]
fn cargo_is_told_what_it_depends_on() {
    let place = Place::new("rerun");
    let output = place.build(RECIPE, &[]);
    let nvcc = place.toolkit().join("bin").join(format!("nvcc{EXE_SUFFIX}"));
    // Without the header of the toolkit, which changes with `nvcc`.
    let expected = [nvcc.to_str().unwrap(), "kernels/saxpy.cu", "kernels/a b.h"];
    assert_eq!(output.all("cargo:rerun-if-changed="), expected);
    let variables = output.all("cargo:rerun-if-env-changed=");
    assert_eq!(variables, ["CUDA_PATH", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"]);

    place.build(WITH_PREBUILT, &[UPDATE]).made();
    let prebuilt = place.package().join("kernels/prebuilt");
    let output = place.build_without_toolkit(WITH_PREBUILT, &[]);
    let changed = output.all("cargo:rerun-if-changed=");
    for path in [prebuilt, place.package().join("kernels/a b.h"), "kernels/saxpy.cu".into()] {
        assert!(changed.contains(&path.to_str().unwrap()), "{path:?} {changed:?}");
    }
    assert_eq!(output.all("cargo:rerun-if-env-changed="), ["OCC_UPDATE_PREBUILT", "OCC_PREBUILT", "CUDA_PATH"]);
}

#[test]
fn the_toolkit_is_found_with_cuda_home_or_path() {
    let place = Place::new("found");
    let toolkit = place.toolkit();
    let output = place.run(RECIPE, &[("CUDA_PATH", ""), ("CUDA_HOME", toolkit.to_str().unwrap())]);
    assert_eq!(output.made_by(), "13.5.37");
    fs::write(toolkit.join("bin/release"), "12.9").unwrap();
    let output = place.run(RECIPE, &[("PATH", toolkit.join("bin").to_str().unwrap())]);
    assert_eq!(output.made_by(), "12.9.37");
    assert_eq!(output.all("cargo:rerun-if-env-changed=")[..3], ["CUDA_PATH", "CUDA_HOME", "PATH"]);
}

#[test]
fn a_toolkit_needs_every_compiler() {
    let place = Place::new("incomplete");
    place.write("kernels/hand.ptx", "ptx");
    fs::remove_file(place.toolkit().join("bin").join(format!("ptxas{EXE_SUFFIX}"))).unwrap();
    assert_eq!(place.build(RECIPE, &[]).made_by(), "13.5.37");
    let output = place.build(&format!("{RECIPE}\nptx kernels/hand.ptx"), &[]);
    let error = output.error().unwrap();
    assert!(error.contains(&format!("which has no `nvcc{EXE_SUFFIX}` and `ptxas{EXE_SUFFIX}` in `bin`\n")), "{error}");
}

#[test]
fn mistakes_are_reported_before_anything_runs() {
    let place = Place::new("mistakes");
    for path in ["other/saxpy.cu", "other/SAXPY.ptx"] {
        place.write(path, "");
    }
    for (recipe, error) in [
        ("archs sm_80", "no kernels to compile; add sources with `.cuda(..)` or `.ptx(..)`"),
        ("cuda kernels/saxpy.cu", "no architecture to compile for; add one with `.archs([\"sm_80\"])`"),
        (
            "cuda kernels/saxpy.cu\narchs sm_81",
            "`sm_81` in `.archs(..)`: unknown compute capability, the nearest known are ",
        ),
        (
            "cuda kernels/saxpy.cu\narchs compute_80",
            "`compute_80` in `.archs(..)` is a PTX target; use `sm_80` (PTX for the lowest architecture is compiled too)",
        ),
        ("cuda kernels/none.cu\narchs sm_80", "no source `kernels/none.cu` in the package"),
        (
            "cuda kernels/saxpy.cu\ncuda other/saxpy.cu\narchs sm_80",
            "`kernels/saxpy.cu` and `other/saxpy.cu` would be compiled to files with the same names; rename one",
        ),
        (
            "cuda kernels/saxpy.cu\nptx other/SAXPY.ptx\narchs sm_80",
            "`kernels/saxpy.cu` and `other/SAXPY.ptx` would be compiled to files with the same names; rename one",
        ),
    ] {
        // Without a toolkit, so that a search for one would give another error.
        let output = place.build_without_toolkit(recipe, &[]);
        let shown = output.error().unwrap_or_else(|| panic!("{error}"));
        assert!(shown.starts_with(error), "{shown}");
        assert_eq!(output.all("cargo:rerun-if-env-changed="), Vec::<&str>::new());
    }
}

#[test]
fn a_rejected_source_is_an_error_with_the_compilers_output() {
    let place = Place::new("refused");
    place.write("kernels/saxpy.cu", "kernel\n#error expected a \";\"\n");
    let output = place.build(RECIPE, &[]);
    let error: Vec<&str> = output.error().unwrap().lines().collect();
    assert_eq!(
        error[..5],
        [
            "`kernels/saxpy.cu` does not compile for sm_80",
            "  kernels/saxpy.cu(2): error: expected a \";\"",
            "    #error expected a \";\"",
            "    ^",
            "  1 error detected in the compilation of \"kernels/saxpy.cu\".",
        ]
    );
    assert!(error[5].starts_with("  = note: the command of CUDA 13.5.37 was `"), "{error:?}");
    assert!(error[5].contains("-arch=sm_80 -o"), "{error:?}");
    assert_eq!(error.len(), 6);
    let output = place.build(WITH_PREBUILT, &[]);
    let error = output.error().unwrap();
    assert!(error.ends_with("\n  = help: set `OCC_PREBUILT=1` to use the prebuilt kernels"), "{error}");
    assert!(!place.has("target/out/saxpy.sm_80.cubin"));
}

#[test]
fn an_unsupported_architecture_is_explained() {
    let place = Place::new("unknown");
    place.write("kernels/hand.ptx", "ptx");
    for source in ["cuda kernels/saxpy.cu", "ptx kernels/hand.ptx"] {
        let output = place.build(&format!("{source}\narchs sm_35"), &[]);
        let error = output.error().unwrap();
        assert!(error.contains("does not compile for sm_35\n"), "{error}");
        assert!(error.contains("\n  = note: this toolkit (13.5) does not support sm_35\n"), "{error}");
    }
}

#[test]
fn a_compilers_warnings_are_shown_once() {
    let place = Place::new("warnings");
    place.write("kernels/saxpy.cu", "#warning unused\n");
    let output = place.build(RECIPE, &[]);
    assert_eq!(output.warnings(), ["kernels/saxpy.cu(1): warning #1-D: unused"]);
}

#[test]
fn a_missing_toolkit_is_an_error_with_help() {
    let place = Place::new("nothing");
    let output = place.build_without_toolkit(RECIPE, &[]);
    let nvcc = format!("nvcc{EXE_SUFFIX}");
    assert_eq!(
        output.error().unwrap(),
        format!(
            "no CUDA toolkit: `CUDA_PATH` is `/no/toolkit/here`, which has no `{nvcc}` in `bin`\n  \
             = help: install one, or set `CUDA_PATH` to its directory\n  \
             = help: call `.or_prebuilt(..)` to use committed kernels"
        )
    );
    // Prebuilt kernels cannot be updated without a toolkit.
    let output = place.build_without_toolkit(WITH_PREBUILT, &[UPDATE]);
    assert!(output.error().unwrap().starts_with("no CUDA toolkit: "));
}

#[test]
fn prebuilt_kernels_are_made_and_used() {
    let place = Place::new("prebuilt");
    let compiled = place.build(WITH_PREBUILT, &[]);
    assert_eq!(
        compiled.warnings(),
        ["no prebuilt kernels in `kernels/prebuilt`; run `OCC_UPDATE_PREBUILT=1 cargo build` to create them"]
    );
    let updated = place.build(WITH_PREBUILT, &[UPDATE]);
    assert_eq!(updated.made(), compiled.made());
    assert_eq!(updated.warnings(), Vec::<&str>::new());
    assert_eq!(place.build(WITH_PREBUILT, &[]).warnings(), Vec::<&str>::new());
    let cubin = place.read("target/out/saxpy.sm_80.cubin");

    fs::remove_dir_all(place.out()).unwrap();
    fs::create_dir_all(place.out()).unwrap();
    let prebuilt = place.build_without_toolkit(WITH_PREBUILT, &[]);
    assert_eq!((prebuilt.made(), prebuilt.made_by()), (compiled.made(), "prebuilt"));
    assert_eq!(place.read("target/out/saxpy.sm_80.cubin"), cubin);
    let [warning] = prebuilt.warnings()[..] else { panic!("{:?}", prebuilt.warnings()) };
    let expected = "using the prebuilt kernels of `kernels/prebuilt`, compiled by CUDA 13.5.37; `CUDA_PATH` is \
                    `/no/toolkit/here`";
    assert!(warning.starts_with(expected), "{warning}");

    let forced = place.build(WITH_PREBUILT, &[("OCC_PREBUILT", "1")]);
    assert_eq!(forced.made_by(), "prebuilt");
    assert_eq!(place.build(WITH_PREBUILT, &[("OCC_PREBUILT", "0")]).made_by(), "13.5.37");
    assert_eq!(place.build(WITH_PREBUILT, &[("OCC_PREBUILT", "1"), UPDATE]).made_by(), "13.5.37");
    // Without `.or_prebuilt(..)` the variable has no effect.
    assert_eq!(place.build(RECIPE, &[("OCC_PREBUILT", "1")]).made_by(), "13.5.37");
}

#[test]
fn the_prebuilt_directory_is_reproducible() {
    let place = Place::new("same");
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    let sources = place.read("kernels/prebuilt/SOURCES");
    assert!(sources.contains("\ntoolkit 13.5.37\n"), "{sources}");
    let names: Vec<&str> =
        sources.lines().filter_map(|line| line.strip_prefix("file ")).map(|line| &line[17..]).collect();
    assert_eq!(names, ["kernels/a b.h", "kernels/saxpy.cu"]);
    let log = place.read("kernels/prebuilt/saxpy.sm_80.log");
    assert!(log.contains("Used 8 registers") && !log.contains("Compile time"), "{log}");

    let time =
        |file: &str| fs::metadata(place.package().join("kernels/prebuilt").join(file)).unwrap().modified().unwrap();
    let before = ["SOURCES", "saxpy.sm_80.cubin", "saxpy.sm_80.log", "saxpy.ptx"].map(time);
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    assert_eq!(["SOURCES", "saxpy.sm_80.cubin", "saxpy.sm_80.log", "saxpy.ptx"].map(time), before);

    // Absolute paths are recorded as relative ones; generated sources are outside of the package.
    place.write("target/out/made.cu", "generated\n");
    let package = place.package();
    let package = package.to_str().unwrap();
    let absolute = WITH_PREBUILT.replace("kernels/saxpy.cu", &format!("{package}/kernels/saxpy.cu"));
    place.build(&format!("{absolute}\ncuda {package}/target/out/made.cu"), &[UPDATE]).made();
    let generated = place.read("kernels/prebuilt/SOURCES");
    assert!(generated.contains(" $OUT_DIR/made.cu\n") && generated.contains(" kernels/saxpy.cu\n"), "{generated}");
    assert!(!generated.contains(package), "{generated}");
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    assert_eq!(place.read("kernels/prebuilt/SOURCES"), sources);

    // The package in another directory, as on another machine.
    let moved = Place::new("same, moved");
    fs::remove_dir_all(moved.package()).unwrap();
    fs::rename(place.package(), moved.package()).unwrap();
    assert_eq!(moved.build_without_toolkit(WITH_PREBUILT, &[]).made_by(), "prebuilt");
}

#[test]
fn stale_prebuilt_kernels_are_an_error() {
    let place = Place::new("stale");
    let (source, header) = (place.read("kernels/saxpy.cu"), place.read("kernels/a b.h"));
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    // Other file times and line endings are not a change.
    place.write("kernels/saxpy.cu", &source.replace('\n', "\r\n"));
    assert_eq!(place.build_without_toolkit(WITH_PREBUILT, &[]).made_by(), "prebuilt");

    let stale = "stale prebuilt kernels in `kernels/prebuilt`: ";
    let refused = |recipe: &str, what: &str| {
        let output = place.build_without_toolkit(recipe, &[]);
        let error = output.error().unwrap_or_else(|| panic!("{what} is accepted"));
        assert!(
            error.starts_with(&format!(
                "{stale}{what} changed since\n  = note: prebuilt kernels are used because `CUDA_PATH` is "
            )),
            "{error}"
        );
    };
    place.write("kernels/saxpy.cu", "#pragma unroll\n");
    refused(WITH_PREBUILT, "`kernels/saxpy.cu`");

    let told = place.build(WITH_PREBUILT, &[]);
    assert_eq!(told.made_by(), "13.5.37");
    assert!(told.warnings()[0].contains("in `kernels/prebuilt` (kernels/saxpy.cu)"), "{:?}", told.warnings());
    let accepted = place.build_without_toolkit(WITH_PREBUILT, &[("OCC_PREBUILT", "stale")]);
    assert_eq!(accepted.made_by(), "prebuilt");
    assert!(accepted.warnings()[0].ends_with("compiled: kernels/saxpy.cu"), "{:?}", accepted.warnings());

    place.write("kernels/saxpy.cu", &source);
    place.write("kernels/a b.h", "other header");
    refused(WITH_PREBUILT, "`kernels/a b.h`");
    fs::remove_file(place.package().join("kernels/a b.h")).unwrap();
    refused(WITH_PREBUILT, "`kernels/a b.h`");
    place.write("kernels/a b.h", &header);
    refused(&format!("{WITH_PREBUILT}\ndefine UNROLL=8"), "`the options`");
    refused(&format!("{WITH_PREBUILT}\nptxas_args -O1"), "`the options`");
    place.write("kernels/new.cu", "");
    refused(&format!("{WITH_PREBUILT}\ncuda kernels/new.cu"), "`kernels/new.cu`");
    assert_eq!(place.build_without_toolkit(WITH_PREBUILT, &[]).made_by(), "prebuilt");
}

#[test]
fn missing_prebuilt_kernels_are_listed() {
    let place = Place::new("missing");
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    let output = place.build_without_toolkit(&format!("{WITH_PREBUILT}\narchs sm_90 sm_120"), &[]);
    let error = output.error().unwrap();
    let first = "missing prebuilt kernels in `kernels/prebuilt`: `saxpy.sm_90.cubin`, `saxpy.sm_120.cubin`\n";
    assert!(error.starts_with(first), "{error}");
    // Logs and PTX are not required; a directory without `SOURCES` gives a warning.
    for file in ["saxpy.sm_80.log", "saxpy.ptx", "SOURCES"] {
        fs::remove_file(place.package().join("kernels/prebuilt").join(file)).unwrap();
    }
    let output = place.build_without_toolkit(WITH_PREBUILT, &[]);
    assert_eq!(output.made().len(), 3);
    assert!(output.warnings()[0].contains("has no `SOURCES`"), "{:?}", output.warnings());
}

#[test]
fn outdated_output_files_are_removed() {
    let place = Place::new("removed");
    place.build(WITH_PREBUILT, &[UPDATE]).made();
    for other in ["target/out/other.sm_89.cubin", "target/out/saxpy.rs", "kernels/prebuilt/other.ptx"] {
        place.write(other, "");
    }
    place.build(&WITH_PREBUILT.replace(" sm_89", ""), &[UPDATE]).made();
    for gone in
        ["target/out/saxpy.sm_89.cubin", "kernels/prebuilt/saxpy.sm_89.cubin", "kernels/prebuilt/saxpy.sm_89.log"]
    {
        assert!(!place.has(gone), "{gone}");
    }
    // Prebuilt kernels replace what was compiled.
    place.build(RECIPE, &[]).made();
    place.build_without_toolkit(&WITH_PREBUILT.replace(" sm_89", ""), &[]).made();
    assert!(!place.has("target/out/saxpy.sm_89.cubin"));
    for kept in [
        "target/out/other.sm_89.cubin",
        "target/out/saxpy.rs",
        "target/out/saxpy.sm_80.cubin",
        "kernels/prebuilt/other.ptx",
        "kernels/prebuilt/saxpy.sm_80.cubin",
    ] {
        assert!(place.has(kept), "{kept}");
    }
}

//! Checks what the documents show: the errors are what the compiler prints for `examples/refused`, the code is
//! compiled somewhere, and every name in them exists.
//!
//! `TRYBUILD=overwrite cargo test -p occ-tests --test readme` updates `expected.stderr`.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod compiler;

use occ_runtime::{Arch, Kernel, Launch, LaunchSpec, Requirement, launch_config};
use std::fs;
use std::path::{Path, PathBuf};

// Code of the documents that is in no example.

const SAXPY: LaunchSpec =
    LaunchSpec::new("saxpy", &[Arch::SM_80, Arch::SM_89], Kernel::new().registers(32), Launch::new(256))
        .require(Requirement::new().min_occupancy(0.5));

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = N, registers = 40, instances(N = [64, 128, 256]))]
fn scale<const N: u32>() {}

#[test]
fn code_of_the_documents_alone() {
    assert_eq!(SAXPY.register_budget(), Some(64));
    scale::<128>();
}

/// The documents a user reads.
const DOCUMENTS: [&str; 6] = [
    "README.md",
    "docs/guide.md",
    "docs/proof.md",
    "docs/comparison.md",
    // Doc tests run the code of these.
    "occ-runtime/README.md",
    "occ-runtime/src/launch_config.md",
];

/// The commands that a new user runs first.
const COMMANDS: [&str; 2] = ["cargo run -p quickstart", "cargo test --workspace"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

/// Returns what `cargo check` prints for `examples/refused`.
///
/// Checks a copy with the workspace's `Cargo.lock`, so that nothing is fetched and no file is left in the sources.
fn refusals() -> String {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    let root = root().display().to_string().replace('\\', "/");
    fs::create_dir_all(copy.join("src")).unwrap();
    fs::write(copy.join("src/main.rs"), read("examples/refused/src/main.rs")).unwrap();
    let manifest = read("examples/refused/Cargo.toml").replace("\"../..", &format!("\"{root}"));
    fs::write(copy.join("Cargo.toml"), manifest).unwrap();
    fs::write(copy.join("Cargo.lock"), read("Cargo.lock")).unwrap();

    let output = compiler::check(&copy, &[]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "it was built:\n{stderr}");
    stderr.replace("\r\n", "\n").replace(&format!("{root}/"), "")
}

#[test]
fn the_compiler_refuses_every_launch() {
    let said = refusals();
    // One error for each launch and for each way to write it, and no other.
    let source = read("examples/refused/src/main.rs");
    let launches = source.matches("#[launch_config(").count() + source.matches("LaunchSpec::new(").count();
    let errors = said.lines().filter(|line| line.starts_with("error") && !line.starts_with("error: could not")).count();
    assert_eq!(errors, launches, "{said}");
    assert!(!said.contains("\nwarning"), "{said}");

    if !compiler::is_pinned() {
        return;
    }
    let path = "examples/refused/expected.stderr";
    if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
        fs::write(root().join(path), &said).unwrap();
    }
    let expected = read(path);
    assert!(said == expected, "{path} is not what the compiler says, which is:\n\n{said}");
}

/// Returns the code blocks of all documents in a language, without their fences.
fn blocks(language: &str) -> Vec<String> {
    blocks_of(&DOCUMENTS, language)
}

fn blocks_of(documents: &[&str], language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let documents = documents.iter().map(|document| read(document)).collect::<Vec<_>>().join("\n");
    let starts = documents.split(&fence).skip(1);
    starts.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_errors_are_real_output() {
    let expected = read("examples/refused/expected.stderr");
    let errors: Vec<String> = blocks("text").into_iter().filter(|block| block.starts_with("error")).collect();
    assert!(!errors.is_empty(), "the documents show no error");
    for error in errors {
        // The whole error, from its first line to the empty line after it.
        let whole = format!("\n\n{expected}").contains(&format!("\n\n{error}\n"));
        assert!(whole, "the documents show what the compiler does not print:\n{error}\nIt prints:\n{expected}");
    }
}

#[test]
fn the_code_is_compiled() {
    let code = [
        "examples/cudarc-saxpy/src/main.rs",
        "examples/cust-saxpy/src/main.rs",
        "examples/quickstart/src/main.rs",
        "examples/refused/src/main.rs",
        "examples/saxpy/build.rs",
        "examples/saxpy/src/main.rs",
        "tests/tests/readme.rs",
        "tests/ui/pass/readme.rs",
    ]
    .map(read);
    let is_tested = |document: &str| document.starts_with("occ-runtime/");
    let documents: Vec<&str> = DOCUMENTS.into_iter().filter(|document| !is_tested(document)).collect();
    let shown = blocks_of(&documents, "rust");
    assert!(shown.len() > 10, "the documents show too little code");
    for block in shown {
        assert!(code.iter().any(|file| file.contains(&block)), "the documents show code that is nowhere:\n{block}");
    }
}

/// The tests of the guard expect every line of its log that the documents show.
#[test]
fn the_log_lines_are_real() {
    let tests = read("occ-runtime/tests/guard/logged.rs");
    let blocks = blocks("log");
    let lines: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).collect();
    assert!(lines.len() > 8, "the documents show no log");
    for line in lines {
        let text = if line.starts_with('[') { line.split_once("(sm_80): ").unwrap().1 } else { line };
        assert!(tests.contains(text), "no test expects this line of the guard's log:\n{line}");
    }
}

#[test]
fn the_readme_names_its_commands() {
    let readme = read("README.md");
    for command in COMMANDS {
        assert!(readme.lines().any(|line| line == command), "`{command}` is not a line of the README");
    }
}

/// The crates and features of the lines for a `Cargo.toml` exist.
#[test]
fn the_dependencies_exist() {
    let blocks = blocks("toml");
    let lines: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).filter(|line| line.contains(" = {")).collect();
    assert!(lines.len() > 2, "the documents show too few dependencies");
    for line in lines {
        let name = line.split_once(' ').unwrap().0;
        assert!(line.contains(&format!("path = \"../occ/{name}\"")), "{line}");
        let features = line.split_once("features = [").map_or("", |(_, features)| features);
        for feature in features.split('"').skip(1).step_by(2) {
            assert!(features_of(name).iter().any(|known| known == feature), "`{name}` has no feature `{feature}`");
        }
    }
}

/// Returns the features that a package declares, without `default`.
fn features_of(package: &str) -> Vec<String> {
    let manifest = read(&format!("{package}/Cargo.toml"));
    let table = manifest.split_once("[features]\n").unwrap().1.split("\n[").next().unwrap().to_owned();
    let entries = table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    entries.map(|(name, _)| name.to_owned()).filter(|name| name != "default").collect()
}

/// A link to a file of the repository leads to one, and a link to a heading leads to one.
#[test]
fn the_links_lead_somewhere() {
    for document in DOCUMENTS.iter().copied().chain(["ARCHITECTURE.md", "CHANGELOG.md", "tests/stand-in/README.md"]) {
        let text = read(document);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|link| !link.starts_with("http")) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root().join(document),
                _ => root().join(document).parent().unwrap().join(path),
            };
            assert!(target.exists(), "{document} links to `{link}`, which is not there");
            if !heading.is_empty() {
                let titles = fs::read_to_string(&target).unwrap();
                let titles = titles.lines().filter(|line| line.starts_with('#'));
                let mut anchors = titles.map(|title| {
                    title.trim_start_matches('#').trim().to_lowercase().replace(' ', "-").replace(['.', ',', '`'], "")
                });
                assert!(anchors.any(|anchor| anchor == heading), "{document} links to `{link}`, which is no heading");
            }
        }
    }
}

/// The documents name every key and warning of the attribute, every variable that is read, and every feature.
#[test]
fn the_documents_name_every_argument() {
    let documents = DOCUMENTS.map(read).concat();
    let words_after = |file: &str, before: &str| -> Vec<String> {
        let text = read(file);
        text.split(before).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let keys = words_after("occ-macros/src/keys.rs", "([\"");
    let warnings = [": &str = \"", "name: \""].map(|before| words_after("occ-macros/src/warnings.rs", before)).concat();
    let is_source = |file: &&String| ["occ-macros/src/", "occ-runtime/src/"].iter().any(|path| file.starts_with(path));
    let sources = files().iter().filter(is_source).map(|file| read(file)).collect::<Vec<_>>().concat();
    let variables: Vec<&str> = sources.split('"').filter(|text| text.starts_with("OCC_")).collect();
    assert!(keys.len() > 20 && warnings.len() > 4 && variables.len() > 3);
    let features = features_of("occ-runtime");
    let names = keys.iter().chain(&warnings).chain(&features).map(String::as_str).chain(variables);
    for name in names {
        assert!(documents.contains(&format!("`{name}`")), "the documents do not name `{name}`");
    }
}

/// Returns the paths of the repository's files, relative to its root.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() {
                if !name.starts_with('.') && name != "target" {
                    folders.push(path);
                }
            } else {
                files.push(path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    files
}

/// Every file that ARCHITECTURE.md names exists, and it names every source file of the four crates or its folder.
#[test]
fn the_map_names_the_files() {
    let map = read("ARCHITECTURE.md");
    let files = files();
    let named: Vec<&str> = map.split('`').skip(1).step_by(2).filter(|name| !name.contains([' ', '<', '*'])).collect();
    let is_file = |name: &&&str| [".rs", ".csv", ".md"].iter().any(|extension| name.ends_with(extension));
    for name in named.iter().filter(is_file) {
        assert!(files.iter().any(|file| file == name || file.ends_with(&format!("/{name}"))), "there is no `{name}`");
    }
    for package in ["occ-core", "occ-artifacts", "occ-macros", "occ-runtime"] {
        let section = map.split_once(&format!("### {package}\n")).unwrap().1.split("\n##").next().unwrap();
        let sources = files.iter().filter_map(|file| file.strip_prefix(package)?.strip_prefix("/src/"));
        for (source, stem) in sources.filter_map(|source| Some((source, source.strip_suffix(".rs")?))) {
            let folders = source.match_indices('/').map(|(end, _)| format!("`{}/`", &source[..end]));
            let name = source.rsplit('/').next().unwrap();
            let is_named =
                [source, name, &format!("{stem}/")].map(|name| format!("`{name}`")).into_iter().chain(folders);
            assert!(is_named.into_iter().any(|name| section.contains(&name)), "{package} does not name `{source}`");
        }
    }
}

/// Every dependency of the workspace has its reason in ARCHITECTURE.md.
#[test]
fn the_dependencies_have_reasons() {
    let manifest = read("Cargo.toml");
    let table = manifest.split_once("[workspace.dependencies]\n").unwrap().1.split("\n[").next().unwrap().to_owned();
    let map = read("ARCHITECTURE.md");
    let reasons = map.split_once("\n## Dependencies\n").unwrap().1.split("\n## ").next().unwrap();
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.contains("path = ")) {
        let name = line.split_once(' ').map_or("", |(name, _)| name);
        assert!(reasons.contains(&format!("`{name}`")), "no reason for `{name}`");
    }
}

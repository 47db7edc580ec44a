//! The public items of each published crate, compared with the crate's `public-api.txt`: a change of what users can name
//! is seen in review. Hidden items are not listed, they may change with every version.
//!
//! `TRYBUILD=overwrite cargo test -p xtask --test public_api -- --ignored` writes the lists again.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const CRATES: [&str; 4] = ["occ-core", "occ-artifacts", "occ-macros", "occ-runtime"];

/// Documents every crate of the workspace with all features, as JSON, and fails on a warning.
fn document(workspace: &Path, target: &Path) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["doc", "--quiet", "--offline", "--workspace", "--no-deps", "--all-features", "--target-dir"]);
    cargo.arg(target).current_dir(workspace);
    cargo.env("RUSTDOC", workspace.join("xtask/unstable-rustdoc"));
    cargo.env("RUSTDOCFLAGS", "--deny warnings -Z unstable-options --output-format json");
    assert!(cargo.status().unwrap().success(), "the crates cannot be documented");
}

/// Returns a crate's public items, one a line: of an implementation of a trait, only that it exists.
fn items(rustdoc_json: &Path) -> String {
    let api = public_api::Builder::from_rustdoc_json(rustdoc_json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .unwrap();
    let mut items = String::new();
    let mut implementing = None;
    for item in api.items().map(ToString::to_string) {
        if let Some((_, implementor)) = item.strip_prefix("impl").and_then(|rest| rest.split_once(" for ")) {
            implementing = Some(format!(" {}::", implementor.split(" where ").next().unwrap()));
            if item.contains("StructuralPartialEq") {
                continue;
            }
        } else if implementing.as_ref().is_some_and(|implementor| item.contains(implementor)) {
            continue;
        } else {
            implementing = None;
        }
        writeln!(items, "{item}").unwrap();
    }
    items
}

#[test]
#[ignore = "checks every crate with all features, which takes a minute where nothing is built yet; `.ci/run` runs it"]
fn public_items_are_those_of_the_lists() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    document(workspace, target);
    let mut changed = Vec::new();
    for name in CRATES {
        let found = items(&target.join("doc").join(name.replace('-', "_")).with_extension("json"));
        let list = workspace.join(name).join("public-api.txt");
        if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
            fs::write(&list, &found).unwrap();
        }
        let listed = fs::read_to_string(&list).unwrap_or_default().replace("\r\n", "\n");
        let missing =
            listed.lines().filter(|item| !found.lines().any(|other| other == *item)).map(|item| format!("-{item}"));
        let added =
            found.lines().filter(|item| !listed.lines().any(|other| other == *item)).map(|item| format!("+{item}"));
        changed.extend(missing.chain(added));
        assert!(found.lines().count() > 1, "{name} has no public item");
    }
    assert!(changed.is_empty(), "public items differ from the lists:\n{}", changed.join("\n"));
}

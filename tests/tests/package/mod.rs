//! A package that is built again and again while something around it changes.

#![allow(dead_code, reason = "each test uses a part of it")]

use crate::compiler;
use std::fs;
use std::path::{Path, PathBuf};

/// A package of its own, built again and again with other variables.
pub(crate) struct Package {
    pub(crate) folder: PathBuf,
}

/// How a build ended.
pub(crate) struct Outcome {
    pub(crate) success: bool,
    pub(crate) messages: String,
}

impl Package {
    pub(crate) fn new(name: &str, code: &str) -> Package {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).expect("the target folder is writable");
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are in the workspace");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nocc-runtime = {{ path = {:?} }}\n",
            workspace.join("occ-runtime").to_string_lossy()
        );
        let package = Package { folder };
        package.write("Cargo.toml", manifest);
        package.write("src/lib.rs", format!("use occ_runtime::launch_config;\n\n{code}\n"));
        fs::copy(workspace.join("Cargo.lock"), package.folder.join("Cargo.lock")).expect("the workspace is locked");
        package
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("inside of the folder")).expect("the folder is writable");
        fs::write(path, text).expect("the folder is writable");
    }

    /// Builds with exactly these of our variables.
    pub(crate) fn build(&self, variables: &[(&str, &str)]) -> Outcome {
        let output = compiler::check(&self.folder, variables);
        Outcome { success: output.status.success(), messages: String::from_utf8_lossy(&output.stderr).into_owned() }
    }

    #[track_caller]
    pub(crate) fn passes(&self, variables: &[(&str, &str)]) {
        let outcome = self.build(variables);
        assert!(outcome.success, "with {variables:?}:\n{}", outcome.messages);
        assert_eq!(outcome.messages, "", "with {variables:?}");
    }

    /// One error, which says all of `expected`.
    #[track_caller]
    pub(crate) fn fails(&self, variables: &[(&str, &str)], expected: &[&str]) {
        let Outcome { success, messages } = self.build(variables);
        assert!(!success, "with {variables:?} it builds");
        for expected in expected {
            assert!(messages.contains(expected), "with {variables:?} no {expected:?} in:\n{messages}");
        }
        let errors: Vec<&str> = messages.lines().filter(|line| line.starts_with("error")).collect();
        assert_eq!(errors.len(), 2, "with {variables:?} there is one error, and cargo's own:\n{messages}");
    }
}

//! Files that `cubin` names: a change of one rebuilds, an unchanged one does not, and none gets into what is built.

mod compiler;
mod package;

use package::Package;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A kernel of `examples/saxpy`: `ptxas -v` printed 22 registers for 4 and 76 for 32.
fn cubin(unroll: u32) -> Vec<u8> {
    let path = format!("../examples/saxpy/kernels/prebuilt/unroll-{unroll}/saxpy.sm_80.cubin");
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the example has its kernels")
}

const SAXPY: &str = "#[launch_config(arch = \"sm_80\", min_occupancy = 0.5, block = 256, cubin = \"saxpy.cubin\")]
pub fn saxpy() {}";

#[test]
fn a_change_rebuilds() {
    let package = Package::new("cubin-changes", SAXPY);
    package.fails(&[], &["`saxpy.cubin` does not exist", "src/lib.rs:3:75"]);
    package.write("saxpy.cubin", cubin(4));
    package.passes(&[]);
    package.write("saxpy.cubin", cubin(32));
    package.fails(
        &[],
        &["occupancy 37.5% on sm_80 is below the required 50%", "`saxpy` in saxpy.cubin, sm_80: 76 registers"],
    );
    package.write("saxpy.cubin", cubin(4));
    package.passes(&[]);
    package.write("saxpy.cubin", "not a cubin any more");
    package.fails(&[], &["`saxpy.cubin`: not a cubin"]);
}

#[test]
fn a_change_rebuilds_what_the_compiler_evaluates() {
    let package = Package::new("cubin-constants", &format!("const HALF: f64 = 0.5;\n{}", SAXPY.replace("0.5", "HALF")));
    package.write("saxpy.cubin", cubin(4));
    package.passes(&[]);
    package.write("saxpy.cubin", cubin(32));
    package.fails(&[], &["occupancy 37.5% on sm_80 is below the required 50%"]);
}

/// Every file of a list counts, and every attribute: of the first, only a part is compiled.
#[test]
fn a_change_of_any_file_rebuilds() {
    let code = "#[cfg(any())]
#[launch_config(arch = \"sm_80\", block = 256, cubin = \"saxpy.cubin\")]
pub fn saxpy() {}

#[launch_config(arch = \"sm_80\", block = 256, max_spills = 0, cubin = [\"saxpy.cubin\", \"saxpy.log\"])]
pub fn again() { saxpy() }

fn saxpy() {}"
        .replace("pub fn again", "#[allow(dead_code)]\npub fn again")
        .replace("\"saxpy.log\"]", "\"saxpy.log\"], kernel = \"saxpy\"");
    let log = |spilled| {
        format!(
            "ptxas info    : Compiling entry function 'saxpy' for 'sm_80'
ptxas info    : Function properties for saxpy
    0 bytes stack frame, {spilled} bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 0 barriers, 376 bytes cmem[0]
"
        )
    };
    let package = Package::new("cubin-list", &code);
    package.write("saxpy.cubin", cubin(4));
    package.write("saxpy.log", log(0));
    package.passes(&[]);
    package.write("saxpy.log", log(4));
    package.fails(&[], &["`saxpy` in saxpy.cubin, sm_80: spill size 4 bytes exceeds the declared maximum of 0"]);
}

#[test]
fn an_unchanged_file_does_not_rebuild() {
    let package = Package::new("cubin-stays", SAXPY);
    package.write("saxpy.cubin", cubin(4));
    package.passes(&[]);
    let before = metadata(&package);
    package.passes(&[]);
    assert_eq!(metadata(&package).1, before.1, "it was built again although nothing changed");
}

/// The tracker reads the file whole, but neither the metadata nor the code may hold it.
#[test]
fn a_large_file_costs_no_metadata() {
    let package = Package::new("cubin-large", SAXPY);
    let mut large = cubin(4);
    // What follows the sections of a cubin is nobody's.
    large.resize(100 << 20, 0);
    package.write("saxpy.cubin", large);
    package.passes(&[]);
    let (length, _) = metadata(&package);
    assert!(length < 100_000, "the metadata of the package has {length} bytes");
}

/// With the feature `containers`: a compressed fatbin, and a kernel by the name C++ gives it.
#[test]
fn compressed_code_takes_a_feature() {
    let code = "#[launch_config(
    arch = \"sm_80\",
    block = 64,
    registers = 7,
    cubin = \"compressed.fatbin\",
    kernel = \"scale(double *)\",
)]
pub fn saxpy() {}";
    let package = Package::new("cubin-containers", code);
    let compressed = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/compressed.fatbin");
    package.write("compressed.fatbin", fs::read(compressed).expect("it is there"));
    package.fails(&[], &["needs the feature `containers`", "add `features = [\"containers\"]` to `occ-runtime`"]);
    let manifest = fs::read_to_string(package.folder.join("Cargo.toml")).expect("it is there");
    package.write("Cargo.toml", manifest.replace("occ-runtime = { ", "occ-runtime = { features = [\"containers\"], "));
    // `ptxas -v` printed 8 registers.
    package.fails(
        &[],
        &["`scale(double *)` in compressed.fatbin, sm_80: register count 8 exceeds the declared maximum of 7"],
    );
    package.write("src/lib.rs", format!("use occ_runtime::launch_config;\n\n{}", code.replace("= 7", "= 8")));
    package.passes(&[]);
}

/// The length of the package's metadata, and when it was made.
fn metadata(package: &Package) -> (u64, SystemTime) {
    let name = package.folder.file_name().expect("it has a name").to_string_lossy().replace('-', "_");
    let deps = package.folder.with_file_name("target").join("debug/deps");
    let files = fs::read_dir(deps).expect("it was built").map(|file| file.expect("readable"));
    let made = files
        .filter(|file| {
            let file = file.file_name().to_string_lossy().into_owned();
            file.starts_with(&format!("lib{name}-")) && Path::new(&file).extension().is_some_and(|end| end == "rmeta")
        })
        .map(|file| file.metadata().expect("readable"));
    let times =
        made.map(|file| (file.len(), file.modified().unwrap_or(SystemTime::UNIX_EPOCH + Duration::from_secs(1))));
    times.max_by_key(|(_, time)| *time).expect("it was built")
}

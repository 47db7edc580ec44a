//! The whole program on the stand-in for the driver, whose answers are those of NVIDIA's header, as far as they were recorded.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use serde_json::{Value, from_slice, to_vec};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The double's answer to a question that nobody recorded.
const UNRECORDED: i64 = cuda_stand_in::UNRECORDED as i64;

/// A folder with the double under the driver's name.
fn driver() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let places = [deps.join("libcuda_stand_in.so"), deps.parent().unwrap().join("libcuda_stand_in.so")];
    let library = places.iter().find(|place| place.exists()).expect("cargo builds the shared library");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("driver");
    fs::create_dir_all(&folder).unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        fs::copy(library, folder.join(name)).unwrap();
    }
    folder
}

fn gpu_check(arguments: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_gpu-check"));
    program.args(arguments).env("LD_LIBRARY_PATH", driver()).env("CUDA_STAND_IN", "a100");
    // The registers are some that the header was asked about; those of the cubin are others, which must be told.
    program.env(
        "CUDA_STAND_IN_KERNELS",
        "+registers_a=24,+registers_h=128,+registers_i=168,+shared_1k=32:1024,+dynamic=32",
    );
    let output = program.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_model_agrees_with_what_the_header_answered() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.json");
    let path = path.to_str().unwrap();
    let (status, said) = gpu_check(&["--quick", path]);
    assert_eq!(status, Some(2), "most questions are not recorded, which must show: {said}");

    let mut report: Value = from_slice(&fs::read(path).unwrap()).unwrap();
    let asked = report["points"].as_array().unwrap().len();
    report["points"].as_array_mut().unwrap().retain(|point| point[5] != -UNRECORDED);
    report["launches"].as_array_mut().unwrap().retain(|launch| launch["code"] != UNRECORDED);
    let answered = report["points"].as_array().unwrap().len();
    assert!(asked > 2_000 && answered > 100, "{answered} of {asked}");
    assert!(report["launches"].as_array().unwrap().len() > 8 && report["verdicts"].as_array().unwrap().len() > 20);
    fs::write(path, to_vec(&report).unwrap()).unwrap();
    let (_, said) = gpu_check(&["--compare", path]);
    let differences: Vec<&str> = said.lines().filter(|line| line.starts_with("differs: ")).collect();
    assert_eq!(differences.len(), 5, "{said}");
    assert!(differences.iter().all(|line| line.contains(" were read, the driver says ")), "{said}");

    // One answer that is another, and a launch that runs although it should not.
    report["points"][0][5] = 77.into();
    report["launches"][2]["code"] = 0.into();
    fs::write(path, to_vec(&report).unwrap()).unwrap();
    let (status, said) = gpu_check(&["--compare", path]);
    assert!(status == Some(2) && said.contains("the driver says 77") && said.contains("one thread more"), "{said}");
}

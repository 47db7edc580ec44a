//! Defaults from the environment: which wins, what an error says of them, and that a change of one rebuilds.

mod compiler;
mod package;

use package::Package;

const SAXPY: &str = "#[launch_config(block = 256, registers = 168)]\npub fn saxpy() {}";

#[test]
fn setting_a_variable_rebuilds() {
    let package = Package::new("rebuilds", SAXPY);
    package.fails(
        &[],
        &[
            "no target is declared",
            "add `arch = \"sm_80\"`, or set `OCC_ARCH` for the whole workspace",
            "src/lib.rs:3:17",
        ],
    );
    package.passes(&[("OCC_ARCH", "sm_80")]);
    package.fails(
        &[("OCC_ARCH", "sm_80"), ("OCC_MIN_OCCUPANCY", "0.5")],
        &[
            "occupancy 12.5% on sm_80 is below the required 50%",
            "= note: `arch` comes from the environment variable `OCC_ARCH`",
            "= note: `min_occupancy` comes from the environment variable `OCC_MIN_OCCUPANCY`",
            // At the registers: they limit it.
            "src/lib.rs:3:42",
        ],
    );
    package.passes(&[("OCC_ARCH", "sm_80")]);
    package.passes(&[("OCC_ARCH", "sm_80"), ("OCC_MIN_OCCUPANCY", "0.125")]);
    package.fails(
        &[("OCC_ARCH", "sm_80, sm_53")],
        &["cannot run on sm_53", "comes from the environment variable `OCC_ARCH`"],
    );
    package.passes(&[("OCC_ARCH", "sm_80, sm_90a,")]);
    package.passes(&[("OCC_ARCH", "sm_80"), ("OCC_MIN_OCCUPANCY", "")]);
}

#[test]
fn setting_a_variable_rebuilds_what_the_compiler_evaluates() {
    let package = Package::new(
        "constants",
        "const BLOCK: u32 = 256;\n\n#[launch_config(block = BLOCK, registers = 168)]\npub struct Saxpy;",
    );
    package.passes(&[("OCC_ARCH", "sm_80")]);
    package.fails(
        &[("OCC_ARCH", "sm_80"), ("OCC_MIN_OCCUPANCY", "0.5")],
        &[
            "occupancy 12.5% on sm_80 is below the required 50%",
            "= note: `arch` comes from the environment variable `OCC_ARCH`",
            "= note: `min_occupancy` comes from the environment variable `OCC_MIN_OCCUPANCY`",
            "src/lib.rs:5:44",
        ],
    );
    package.fails(&[("OCC_ARCH", "sm_53")], &["cannot run on sm_53"]);
    package.passes(&[("OCC_ARCH", "sm_80")]);
}

#[test]
fn the_own_argument_wins() {
    let package = Package::new(
        "own",
        "#[launch_config(arch = \"sm_80\", min_occupancy = 0.125, block = 256, registers = 168)]\npub fn saxpy() {}",
    );
    package.passes(&[("OCC_ARCH", "sm_53"), ("OCC_GPU", "Jetson Nano"), ("OCC_MIN_OCCUPANCY", "1.0")]);
    // What is not asked for need not be right.
    package.passes(&[("OCC_ARCH", "nonsense"), ("OCC_GPU", "nonsense"), ("OCC_MIN_OCCUPANCY", "nonsense")]);
    let package = Package::new(
        "own-gpu",
        "#[launch_config(gpu = \"Tesla V100 SXM2 16 GB\", block = 256, registers = 168)]\npub fn saxpy() {}",
    );
    package.passes(&[("OCC_ARCH", "sm_53"), ("OCC_GPU", "Jetson Nano")]);
}

#[test]
fn the_gpu() {
    let package = Package::new("gpu", SAXPY);
    package.passes(&[("OCC_GPU", "Tesla V100 SXM2 16 GB")]);
    package.fails(
        &[("OCC_GPU", "Tesla V100 SXM2 16 GB, Jetson Nano")],
        &["cannot run on sm_53", "= note: `gpu` comes from the environment variable `OCC_GPU`"],
    );
    // Both count.
    package.fails(&[("OCC_GPU", "Jetson Nano"), ("OCC_ARCH", "sm_80")], &["cannot run on sm_53"]);

    let package = Package::new(
        "grid",
        "#[launch_config(arch = \"sm_70\", block = 256, registers = 32, grid = 2000, min_waves = 4)]\npub fn saxpy() {}",
    );
    package.fails(&[], &["`min_waves` requires `gpu`"]);
    package.fails(
        &[("OCC_GPU", "Tesla V100 SXM2 16 GB")],
        &[
            "waves",
            "Tesla V100 SXM2 16 GB",
            "= note: `gpu` comes from the environment variable `OCC_GPU`",
            "src/lib.rs:3:69",
        ],
    );
    package.passes(&[("OCC_GPU", "Quadro P1000")]);
}

#[test]
fn invalid_values() {
    let package = Package::new("invalid", SAXPY);
    package.fails(
        &[("OCC_ARCH", "sm_81")],
        &[
            "unknown target `sm_81`",
            "did you mean `sm_80` or `sm_86`?",
            "= note: `arch` comes from the environment variable `OCC_ARCH`",
        ],
    );
    for value in ["50", "50%", "half", "nan", "-0.5", "0,5"] {
        package.fails(
            &[("OCC_ARCH", "sm_80"), ("OCC_MIN_OCCUPANCY", value)],
            &[&format!(
                "the environment variable `OCC_MIN_OCCUPANCY` must be a fraction from 0.0 to 1.0, not `{value}`"
            )],
        );
    }
    package.fails(
        &[("OCC_ARCH", "sm_80"), ("OCC_GPU", "GTX 9090")],
        &[
            "unknown GPU `GTX 9090`",
            "`gpu` comes from the environment variable `OCC_GPU`",
            "the nearest names are `GeForce GTX",
        ],
    );
    package.fails(
        &[("OCC_ARCH", "sm_80"), ("OCC_GPU", "GTX 1060")],
        &["`GTX 1060` names several GPUs", "write one of `GeForce GTX 1060 3 GB`"],
    );
}

/// A wrong GPU is one mistake: that there is no target is its consequence.
#[test]
fn an_invalid_gpu_is_one_error() {
    let package = Package::new("invalid-gpu", SAXPY);
    package.fails(
        &[("OCC_GPU", "GTX 9090")],
        &["unknown GPU `GTX 9090`", "`gpu` comes from the environment variable `OCC_GPU`"],
    );
}

/// A list with nothing in it must not pass for a check.
#[test]
fn an_empty_list_is_an_error() {
    let package = Package::new("empty-list", SAXPY);
    package.fails(&[("OCC_ARCH", " , ")], &["OCC_ARCH"]);
}

/// `[env]` in `.cargo/config.toml`, as the help says.
#[test]
fn the_configuration_of_cargo() {
    let package = Package::new("configuration", SAXPY);
    package.write(".cargo/config.toml", "[env]\nOCC_ARCH = \"sm_80\"\n");
    package.passes(&[]);
    package.write(".cargo/config.toml", "[env]\nOCC_ARCH = \"sm_80\"\nOCC_MIN_OCCUPANCY = \"0.5\"\n");
    package.fails(&[], &["occupancy 12.5% on sm_80 is below the required 50%"]);
    package.write(".cargo/config.toml", "[env]\nOCC_ARCH = \"sm_80\"\nOCC_MIN_OCCUPANCY = \"0.1\"\n");
    package.passes(&[]);
}

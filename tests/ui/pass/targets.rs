#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::{Arch, launch_config};

#[launch_config(arch = "sm_80..", block = 256, registers = 40)]
struct Later;

#[launch_config(arch = ["sm_90a", "sm_100f", "compute_75", "compute_120"], block = 256, registers = 40)]
struct Suffixed;

#[launch_config(gpu = ["GeForce RTX 4090", "A100 SXM4 40 GB"], block = 256, registers = 40)]
struct Products;

fn main() {
    let _ = (Later, Suffixed, Products);
    assert!(Later::SPEC.archs().contains(&Arch::SM_86) && !Later::SPEC.archs().contains(&Arch::SM_75));
    assert_eq!(Suffixed::SPEC.archs(), [Arch::SM_75, Arch::SM_90, Arch::SM_100, Arch::SM_120]);
    assert_eq!(Products::SPEC.archs(), [Arch::SM_80, Arch::SM_89]);
}

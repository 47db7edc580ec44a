#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

pub mod support {
    pub use occ_runtime as rt;
}

use support::rt::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 40, spec = SAXPY, crate = crate::support::rt)]
fn saxpy() {}

#[launch_config(arch = "sm_80", block = 256, registers = 40, crate = ::occ_runtime)]
struct Daxpy;

macro_rules! kernel {
    ($name:ident) => {
        #[launch_config(gpu = "GeForce RTX 4090", block = BLOCK, registers = 40, crate = $crate::support::rt)]
        fn $name() {}
    };
}

kernel!(inside);

fn main() {
    saxpy();
    inside();
    let _ = Daxpy;
    assert_eq!(SAXPY.shape().threads(), Daxpy::SPEC.shape().threads());
}

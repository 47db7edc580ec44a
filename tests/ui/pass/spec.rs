#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::{LaunchSpec, launch_config};

const BLOCK: u32 = 256;

mod kernels {
    use occ_runtime::launch_config;

    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 128, registers = 40, spec = SAXPY)]
    pub(crate) fn saxpy() {}
}

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, max_registers = 40, spec = DAXPY)]
fn daxpy() {}

struct Solver;

impl Solver {
    const TILE: u32 = 8;

    #[launch_config(arch = "sm_80", block = (8, 8), registers = 40, spec = LITERAL)]
    fn literal() {}

    #[launch_config(arch = "sm_80", block = (Self::TILE, Self::TILE, 2), registers = 40, spec = CONSTANT)]
    fn constant() -> &'static LaunchSpec {
        &Self::CONSTANT
    }
}

fn main() {
    kernels::saxpy();
    daxpy();
    Solver::literal();
    assert_eq!((kernels::SAXPY.name(), kernels::SAXPY.shape().threads()), ("saxpy", 128));
    assert_eq!((DAXPY.name(), DAXPY.kernel().registers), ("daxpy", Some(40)));
    assert_eq!(Solver::LITERAL.shape().block, [8, 8, 1]);
    assert_eq!(Solver::constant().shape().threads(), 128);
}

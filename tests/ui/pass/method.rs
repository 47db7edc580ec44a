#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

trait Step {
    const BLOCK: u32 = 256;

    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = Self::BLOCK, registers = 40)]
    fn provided(&self) -> u32 {
        1
    }

    fn required(&self) -> u32;
}

struct Solver(u32);

impl Solver {
    const TILE: u32 = 16;

    #[launch_config(arch = "sm_80", block = (Self::TILE, Self::TILE), registers = 40)]
    fn with_self(&self) -> u32 {
        self.0
    }

    #[launch_config(arch = "sm_80", block = 256, registers = 40)]
    pub(crate) fn associated() -> Self {
        Solver(1)
    }
}

impl Step for Solver {
    #[launch_config(arch = "sm_80", block = 256, registers = 40)]
    fn required(&self) -> u32 {
        self.0
    }
}

fn main() {
    let solver = Solver::associated();
    assert_eq!(solver.with_self() + solver.provided() + solver.required(), 3);
}

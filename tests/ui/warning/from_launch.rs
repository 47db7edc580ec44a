#![deny(deprecated)]

use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

struct Solver;

impl Solver {
    #[launch_config(arch = "sm_80", registers = 32)]
    fn rows(&self) {
        launch!(module.rows<<<grid, 100, 0, stream>>>(x));
    }
}

#[launch_config(arch = "sm_80", block = 33, registers = 32)]
struct Rows;

fn main() {
    Solver.rows();
    let _kept = Rows::SPEC;
}

use occ_runtime::launch_config;

struct Solver;

impl Solver {
    const BLOCK: usize = 256;

    #[launch_config(arch = "sm_89", block = Self::BLOCK, registers = 32)]
    fn step(&self) {}
}

fn main() {
    Solver.step();
}

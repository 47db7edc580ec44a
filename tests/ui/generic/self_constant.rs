use occ_runtime::launch_config;

struct Solver;

impl Solver {
    const BLOCK: u32 = 512;

    #[launch_config(arch = "sm_89", block = Self::BLOCK, registers = 162)]
    fn step(&self) -> u32 {
        7
    }
}

fn main() {
    let _kept: u32 = Solver.step();
}

use occ_runtime::launch_config;

struct Solver;

impl Solver {
    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168)]
    fn step(&self) -> u32 {
        7
    }
}

fn main() {
    let _kept: u32 = Solver.step();
}

use occ_runtime::launch_config;

struct Solver;

impl Solver {
    #[launch_config(arch = "sm_81", blok = "256", min_occupancy = 50)]
    fn step(&self) -> u32 {
        7
    }
}

fn main() {
    let _kept: u32 = Solver.step();
}

use occ_runtime::launch_config;

struct Solver;

#[launch_config(arch = "sm_80", block = 256)]
impl Solver {
    fn step(&self) {}
}

fn main() {
    Solver.step();
}

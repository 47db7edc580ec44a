use occ_runtime::launch_config;

#[launch_config(arch = "sm_81", block = 256, spec = SAXPY)]
fn saxpy() {}

struct Solver;

impl Solver {
    #[launch_config(arch = "sm_80", block = 0, spec = STEP)]
    fn step(&self) {}
}

#[launch_config(arch = "sm_80", blok = 256)]
struct Daxpy;

fn main() {
    saxpy();
    Solver.step();
    let _kept = (SAXPY.name(), Solver::STEP.name(), Daxpy::SPEC.name());
}

use occ_runtime::launch_config;

trait Step {
    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168)]
    fn step(&self) {}
}

impl Step for u32 {}

fn main() {
    1u32.step();
}

use occ_runtime::launch_config;

trait Step {
    const BLOCK: u32;

    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = Self::BLOCK, registers = 64)]
    fn step(&self) {}
}

struct Small;
struct Large;

impl Step for Small {
    const BLOCK: u32 = 128;
}

impl Step for Large {
    const BLOCK: u32 = 768;
}

fn main() {
    Small.step();
    Large.step();
}

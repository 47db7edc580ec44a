use occ_runtime::launch_config;

struct Rows;

impl Rows {
    const BLOCK: u32 = 100;

    #[launch_config(arch = "sm_80", block = Self::BLOCK, registers = 32, min_lane_efficiency = 0.9)]
    fn run(&self) {}
}

fn main() {
    Rows.run();
}

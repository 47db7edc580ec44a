use occ_runtime::launch_config;

const PERCENT: u32 = 0;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 64, registers = 32, carveout = PERCENT)]
fn stream() {}

fn main() {
    stream();
}

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 168)]
pub async fn step(x: &u32) -> u32 {
    *x
}

fn main() {
    drop(step(&1));
}

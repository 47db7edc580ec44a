use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168)]
pub async fn step(x: &u32) -> u32 {
    *x
}

fn main() {
    drop(step(&1));
}

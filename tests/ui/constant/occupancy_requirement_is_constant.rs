use occ_runtime::launch_config;

const HALF: f64 = 0.5;

#[launch_config(arch = "sm_80", min_occupancy = HALF, block = 256, registers = 168)]
fn saxpy() {}

fn main() {
    saxpy();
}

use occ_runtime::launch_config;

const PERCENT: f64 = 50.0;

#[launch_config(arch = "sm_80", min_occupancy = PERCENT, block = 256, registers = 32)]
fn saxpy() {}

fn main() {
    saxpy();
}

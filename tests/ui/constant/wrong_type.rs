use occ_runtime::launch_config;

const BLOCK: usize = 256;
const HALF: f32 = 0.5;

#[launch_config(arch = "sm_80", min_occupancy = HALF, block = BLOCK, registers = 'r')]
fn saxpy() {}

fn main() {
    saxpy();
}

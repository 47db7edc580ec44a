use occ_runtime::launch_config;

const PERCENT: u32 = 101;

#[launch_config(arch = "sm_80", block = 256, registers = 32, carveout = PERCENT)]
fn saxpy() {}

fn main() {
    saxpy();
}

use occ_runtime::launch_config;

const CAP: u32 = 128;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, max_registers = CAP)]
fn saxpy() {}

fn main() {
    saxpy();
}

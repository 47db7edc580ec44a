use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, max_registers = 128)]
fn saxpy() {}

fn main() {
    saxpy();
}

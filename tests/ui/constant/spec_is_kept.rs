use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 168, spec = SAXPY)]
fn saxpy() {}

fn main() {
    saxpy();
    let _ = SAXPY.shape();
}

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 168)]
struct Saxpy;

fn main() {
    let _kept = Saxpy;
    let _ = Saxpy::SPEC.name();
}

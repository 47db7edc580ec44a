use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168, spec = SAXPY)]
fn saxpy() {}

fn main() {
    saxpy();
    let _ = SAXPY.shape();
}

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", block = BLOCK, generic)]
struct Saxpy;

fn main() {
    let _ = (Saxpy, Saxpy::SPEC);
}

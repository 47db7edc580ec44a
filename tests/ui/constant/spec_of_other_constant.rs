use occ_runtime::launch_config;

const BLOCK: u32 = 2048;

// In the body `BLOCK` is 256; the constant beside the function would launch 2048.
#[launch_config(arch = "sm_80", block = BLOCK, registers = 32, spec = SAXPY)]
fn saxpy() {
    const BLOCK: u32 = 256;
    let _ = BLOCK;
}

fn main() {
    saxpy();
    let _ = SAXPY;
}

use occ_runtime::launch_config;

macro_rules! shadow {
    () => {
        const BLOCK: u32 = 64;
        let _ = BLOCK;
    };
}

const BLOCK: u32 = 2048;

#[launch_config(arch = "sm_80", block = BLOCK, registers = 40, spec = SPEC)]
fn shadowed() {
    shadow!();
}

fn main() {
    shadowed();
    let _ = SPEC;
}

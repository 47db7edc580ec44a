use occ_runtime::launch_config;

const ELEMENTS: u32 = 1 << 31;

#[launch_config(arch = "sm_80", block = 256, registers = 32, dynamic_smem = ELEMENTS * 2)]
fn saxpy() {}

fn main() {
    saxpy();
}

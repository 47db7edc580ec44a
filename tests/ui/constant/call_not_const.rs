use occ_runtime::launch_config;

fn block() -> u32 {
    256
}

#[launch_config(arch = "sm_80", block = block(), registers = 32)]
fn saxpy() {}

fn main() {
    saxpy();
}

use occ_runtime::launch_config;

#[launch_config(block = 256, registers = 32)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_90", block = 256, registers = 32, cluster = (65536, 65536, 16))]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

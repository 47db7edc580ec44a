use occ_runtime::launch_config;

#[launch_config(arch = "sm_81", block = 256)]
#[launch_config(arch = "sm_80", blok = 256)]
#[launch_config(arch = "sm_80", block = 256, registers = -1)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

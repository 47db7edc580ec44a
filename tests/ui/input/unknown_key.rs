use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, colour = "red")]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = (8, 8, 2, 2))]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

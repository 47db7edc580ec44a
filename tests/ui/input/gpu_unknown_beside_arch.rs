use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", gpu = "GTX 9090", block = 256, grid = 1000, min_waves = 4)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

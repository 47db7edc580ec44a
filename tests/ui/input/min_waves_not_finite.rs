use occ_runtime::launch_config;

#[launch_config(gpu = "GeForce RTX 4090", block = 256, grid = 1000, min_waves = 1.0 / 0.0)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

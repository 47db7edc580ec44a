use occ_runtime::launch_config;

#[launch_config(gpu = "GeForce RTX 4090", block = 256, grid = 1000, max_tail_idle = 25)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

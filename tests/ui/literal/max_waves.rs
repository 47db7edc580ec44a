use occ_runtime::launch_config;

#[launch_config(gpu = "Tesla V100 SXM2 16 GB", block = 256, registers = 32, grid = 2000, max_waves = 1.0)]
fn saxpy() {}

fn main() {
    saxpy();
}

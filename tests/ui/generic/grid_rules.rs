use occ_runtime::launch_config;

#[launch_config(
    gpu = "Tesla V100 SXM2 16 GB",
    block = 256,
    registers = 32,
    grid = N,
    min_waves = 4.0,
    max_tail_idle = 0.25
)]
fn saxpy<const N: u32>() {}

fn main() {
    saxpy::<2000>();
}

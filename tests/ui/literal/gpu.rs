use occ_runtime::launch_config;

#[launch_config(gpu = "GeForce RTX 4090", min_occupancy = 0.5, block = 256, registers = 128)]
fn gemm() {}

fn main() {
    gemm();
}

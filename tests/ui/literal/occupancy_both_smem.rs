use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_86",
    min_occupancy = 0.5,
    block = 256,
    registers = 32,
    static_smem = 16384,
    dynamic_smem = 24576
)]
fn reduce() {}

fn main() {
    reduce();
}

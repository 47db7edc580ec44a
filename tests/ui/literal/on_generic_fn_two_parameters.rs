use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_86",
    min_occupancy = 0.5,
    block = (X as u32, Y as u32),
    registers = 40,
    dynamic_smem = X as u32 * Y as u32 * 100,
    instances(X = [16, 32], Y = [8usize, 16])
)]
fn tile<const X: usize, const Y: usize>() {}

fn main() {
    tile::<16, 8>();
}

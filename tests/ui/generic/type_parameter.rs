use occ_runtime::launch_config;

#[launch_config(
    arch = "sm_86",
    min_occupancy = 0.5,
    block = 256,
    registers = 32,
    dynamic_smem = 256 * 48 * size_of::<T>() as u32
)]
fn reduce<T>(_: T) {}

fn main() {
    reduce(1u8);
    reduce(1f32);
}

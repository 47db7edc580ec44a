use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90"],
    min_occupancy = 0.25,
    block = 256,
    registers = 32,
    dynamic_smem = 98304
)]
fn attention() {}

fn main() {
    attention();
}

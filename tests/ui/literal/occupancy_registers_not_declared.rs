use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, dynamic_smem = 96 * 1024)]
fn attention() {}

fn main() {
    attention();
}

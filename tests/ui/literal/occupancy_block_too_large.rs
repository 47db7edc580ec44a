use occ_runtime::launch_config;

#[launch_config(arch = "sm_86", min_occupancy = 1.0, block = (32, 32), registers = 32)]
fn transpose() {}

fn main() {
    transpose();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 64, registers = 32, carveout = "max_l1")]
fn stream() {}

fn main() {
    stream();
}

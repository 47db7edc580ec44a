use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = (64, 32))]
fn transpose() {}

fn main() {
    transpose();
}

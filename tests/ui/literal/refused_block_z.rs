use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = (1, 1, 128))]
fn volume() {}

fn main() {
    volume();
}

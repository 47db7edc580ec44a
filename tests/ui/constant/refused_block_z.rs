use occ_runtime::launch_config;

const DEPTH: u32 = 128;

#[launch_config(arch = "sm_80", block = (1, 1, DEPTH))]
fn volume() {}

fn main() {
    volume();
}

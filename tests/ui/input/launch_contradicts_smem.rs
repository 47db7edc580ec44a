use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32, block = 256, dynamic_smem = 4096)]
fn run() {
    launch!(module.saxpy<<<grid, 256, 2048, stream>>>(x));
}

fn main() {
    run();
}

use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_86", min_occupancy = 1.0, registers = 32)]
fn run() {
    launch!(module.transpose<<<(64, 64), (32, 32), 0, stream>>>(x.as_device_ptr(), n));
}

fn main() {
    run();
}

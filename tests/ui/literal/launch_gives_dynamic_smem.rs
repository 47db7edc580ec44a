use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_86", min_occupancy = 0.5, registers = 32)]
fn run() {
    if true {
        launch!(module.reduce<<<grid, 256, 256 * 4 * 48, stream>>>(x.as_device_ptr(), n));
    }
}

fn main() {
    run();
}

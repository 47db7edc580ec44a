use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_86", min_occupancy = 0.5, registers = 32)]
fn run() {
    launch!(module.reduce<<<grid, 256, 256 * 48 * size_of::<f32>() as u32, stream>>>(x.as_device_ptr(), n));
}

fn main() {
    run();
}

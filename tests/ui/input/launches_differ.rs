use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32)]
fn run() {
    launch!(module.saxpy<<<grid, 256, 0, stream>>>(x));
    launch!(module.reduce<<<grid, 128, 1024, stream>>>(x));
}

fn main() {
    run();
}

use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32)]
fn run() {
    launch!(module.saxpy<<<grid, (2048, 0), -1, stream>>>(x));
}

fn main() {
    run();
}

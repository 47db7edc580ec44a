use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32, block = 256)]
fn run() {
    launch!(module.saxpy<<<grid, (16, 8), 0, stream>>>(x));
}

fn main() {
    run();
}

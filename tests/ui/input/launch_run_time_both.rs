use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32)]
fn run() {
    launch!(module.saxpy<<<grid, (self.block.x, 1, 1), n, stream>>>(x));
}

fn main() {
    run();
}

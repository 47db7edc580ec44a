use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32)]
fn run(n: u32) -> u32 {
    let block = n.min(256);
    launch!(module.saxpy<<<n / block, block, 0, stream>>>(x));
    block
}

fn main() {
    let _kept: u32 = run(1);
}

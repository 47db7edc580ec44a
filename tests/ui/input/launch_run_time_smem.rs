use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", registers = 32)]
fn run(n: usize) -> usize {
    launch!(module.saxpy<<<grid, 256, (n * size_of::<f32>()) as u32, stream>>>(x));
    n
}

fn main() {
    let _kept: usize = run(1);
}

use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_80", block = 256, cubin = "kernels/kernels.sm_80.cubin")]
fn step() {
    launch!(module.tile<<<1, 256, 0, stream>>>());
    launch!(module.local<<<1, 256, 0, stream>>>());
}

fn main() {}

use occ_runtime::launch_config;

macro_rules! launch {
    ($($launch:tt)*) => {};
}

#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/kernels.sm_90.cubin", kernel = "tile")]
fn beside() {
    launch!(module.tile<<<1, 256, 0, stream>>>());
    launch!(module.tile_v2<<<1, 2048, 0, stream>>>());
}

#[launch_config(arch = "sm_90", block = 128, cubin = "kernels/kernels.sm_90.cubin", kernel = "bounded")]
fn instead() {
    launch!(module.spilled<<<1, 128, 0, stream>>>());
}

#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/kernels.sm_90.cubin", kernel = "grid::shift")]
#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/kernels.sm_90.cubin", kernel = "local")]
fn third() {
    launch!(module._ZN4grid5shiftIfLi4EEEvPT_<<<1, 256, 0, stream>>>());
    launch!(module.local<<<1, 256, 0, stream>>>());
    launch!(module.recursive<<<1, 256, 0, stream>>>());
}

#[launch_config(arch = "sm_90", block = 256, cubin = "kernels/kernels.sm_90.cubin")]
fn unsure() {
    launch!(module.tile<<<1, 256, 0, stream>>>());
    launch!(other<<<1, 256, 0, stream>>>());
}

fn main() {}

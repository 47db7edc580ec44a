use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

#[launch_config(arch = "sm_80", block = 256, dynamic_smem = 0, registers = 40)]
#[launch_config(arch = "sm_80", block = 128, dynamic_smem = 0, registers = 40)]
fn three() {
    launch!(module.k<<<1, 256, 0, stream>>>());
    launch!(module.k<<<1, 128, 0, stream>>>());
    launch!(module.k<<<1, 1024, 0, stream>>>());
}

#[launch_config(arch = "sm_80", block = 1024, dynamic_smem = 0, registers = 40)]
#[launch_config(arch = "sm_80", block = 32, dynamic_smem = 1024, registers = 162)]
fn crossed() {
    launch!(module.k<<<1, 1024, 1024, stream>>>());
    launch!(module.k<<<1, 32, 1024, stream>>>());
    launch!(module.k<<<1, 1024, 0, stream>>>());
}

fn main() {
    three();
    crossed();
}

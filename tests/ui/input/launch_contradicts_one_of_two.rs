use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

#[launch_config(arch = "sm_80", block = 256)]
fn both() {
    launch!(module.k<<<1, 256, 0, stream>>>());
    launch!(module.k<<<1, 512, 0, stream>>>());
}

fn main() {
    both();
}

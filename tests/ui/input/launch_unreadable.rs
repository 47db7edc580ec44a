use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

#[launch_config(arch = "sm_80", block = 256)]
fn unreadable() {
    launch!(module.k<<<1, 256>>>());
}

fn main() {
    unreadable();
}

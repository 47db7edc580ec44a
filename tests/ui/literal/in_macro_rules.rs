use occ_runtime::launch_config;

macro_rules! kernel {
    ($name:ident, $block:expr, $registers:literal) => {
        #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = $block, registers = $registers)]
        fn $name() {}
    };
}

kernel!(small, 256, 32);
kernel!(large, 256, 168);
kernel!(wide, 2 * 1024, 32);

fn main() {
    small();
    large();
    wide();
}

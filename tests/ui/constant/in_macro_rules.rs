use occ_runtime::launch_config;

const BLOCK: u32 = 256;

macro_rules! kernel {
    ($name:ident, $block:expr, $registers:expr) => {
        #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = $block, registers = $registers)]
        fn $name() {}
    };
}

kernel!(small, BLOCK, 32);
kernel!(large, BLOCK, 100 + 68);

fn main() {
    small();
    large();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_86", min_warps_per_sm = 64, block = 256, registers = 40)]
fn warps() {}

#[launch_config(arch = "sm_86", min_blocks_per_sm = 17, block = 64, registers = 32)]
fn blocks() {}

fn main() {
    warps();
    blocks();
}

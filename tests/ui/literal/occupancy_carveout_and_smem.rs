use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 32, dynamic_smem = 16384, carveout = 20)]
fn stencil() {}

fn main() {
    stencil();
}

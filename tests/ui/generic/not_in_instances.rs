use occ_runtime::launch_config;

// The listed instances pass; the compiler still sees the one that is not listed.
#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = N, registers = 64, instances(N = [128, 256]))]
fn reduce<const N: u32>() {}

fn main() {
    reduce::<768>();
}

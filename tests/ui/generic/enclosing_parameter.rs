use occ_runtime::launch_config;

struct Tile<const N: u32>;

impl<const N: u32> Tile<N> {
    #[launch_config(arch = "sm_80", min_occupancy = 0.5, block = N, registers = 64, generic)]
    fn run(&self) {}
}

fn main() {
    Tile::<128>.run();
    Tile::<768>.run();
}

use occ_runtime::launch_config;

struct Tile<const N: u32>;

impl<const N: u32> Tile<N> {
    #[launch_config(arch = "sm_80", block = N, registers = 32)]
    fn run(&self) {}
}

fn main() {
    Tile::<128>.run();
}

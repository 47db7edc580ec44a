use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = N as u32, registers = 32, instances = [64])]
fn reduce<const N: usize>() {}

fn main() {
    reduce::<128>();
}

use occ_runtime::launch_config;

const REGISTERS: u32 = 64;

#[launch_config(
    arch = "sm_80",
    min_occupancy = 0.5,
    block = N,
    registers = REGISTERS,
    instances(N = [128, 768, 1024])
)]
fn reduce<const N: u32>() -> u32 {
    N
}

fn main() {
    let _kept = reduce::<128>();
}

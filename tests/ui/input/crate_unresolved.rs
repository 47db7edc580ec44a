use occ_runtime::launch_config;

const N: u32 = 256;

#[launch_config(arch = "sm_80", block = N, crate = ::no_such_crate)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

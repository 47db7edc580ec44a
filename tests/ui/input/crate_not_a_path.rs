use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", block = BLOCK, crate = crate::)]
fn saxpy() -> u32 {
    1
}

#[launch_config(arch = "sm_80", block = BLOCK, crate = crate support)]
fn daxpy() {}

#[launch_config(arch = "sm_80", block = BLOCK, crate = ::)]
fn caxpy() {}

fn main() {
    let _kept: u32 = saxpy();
    daxpy();
    caxpy();
}

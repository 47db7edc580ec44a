use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, spec = fn)]
fn saxpy() -> u32 {
    1
}

#[launch_config(arch = "sm_80", block = 256, spec = _)]
fn daxpy() {}

fn main() {
    let _kept: u32 = saxpy();
    daxpy();
}

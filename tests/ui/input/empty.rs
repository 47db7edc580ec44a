use occ_runtime::launch_config;

#[launch_config]
fn saxpy() -> u32 {
    1
}

#[launch_config()]
fn daxpy() {}

fn main() {
    let _kept: u32 = saxpy();
    daxpy();
}

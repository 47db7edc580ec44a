use occ_runtime::launch_config;

#[launch_config(arhc = "sm_80", blokc = 256)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, cubin = "k.cubin", kernel = "k", max_stack = 0, max_spills = 0)]
fn saxpy() -> u32 {
    1
}

fn main() {
    let _kept: u32 = saxpy();
}

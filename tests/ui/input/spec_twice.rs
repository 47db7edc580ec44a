use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, spec = SAXPY)]
#[launch_config(arch = "sm_90", block = 256, spec = SAXPY)]
fn saxpy() {}

fn main() {
    saxpy();
}

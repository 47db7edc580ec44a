use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, spec = SAXPY)]
struct Saxpy;

fn main() {
    let _kept = Saxpy::SPEC;
}

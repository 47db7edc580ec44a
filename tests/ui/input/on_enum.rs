use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256)]
enum Kernel {
    Saxpy,
}

fn main() {
    let _kept = Kernel::Saxpy;
}

use occ_runtime::launch_config;

trait Step {
    #[launch_config(arch = "sm_80", block = 256)]
    fn step(&self);
}

impl Step for u32 {
    fn step(&self) {}
}

fn main() {
    1u32.step();
}

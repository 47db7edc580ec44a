use occ_runtime::launch_config;

unsafe extern "C" {
    #[launch_config(arch = "sm_80", block = 256)]
    pub safe fn abs(x: i32) -> i32;
}

fn main() {
    let _kept: i32 = abs(-1);
}

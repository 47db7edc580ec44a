use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 168)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axpy(x: *mut f32) {
    let _ = x;
}

fn main() {
    let _kept: unsafe extern "C" fn(*mut f32) = axpy;
}

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[unsafe(no_mangle)]
#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 168)]
pub unsafe extern "C" fn axpy(x: *mut f32) {
    let _ = x;
}

fn main() {
    let _kept: unsafe extern "C" fn(*mut f32) = axpy;
}
